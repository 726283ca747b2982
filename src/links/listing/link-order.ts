import { setImmediate as turn } from 'node:timers/promises';
import { radixOrder } from '../../common/radix-order';
import type { ListedLink } from './listed-link';

const HIGHEST_BIT = 0x8000_0000;

/**
 * The links in ascending order of a value, ties by id. By digits instead of comparisons, in steps
 * of at most some milliseconds for 100,000 links, between which redirects have their turn.
 */
export async function sortLinks(
  links: readonly ListedLink[],
  value: (link: ListedLink) => number,
): Promise<ListedLink[]> {
  const [low, high] = wordsOf(links, value);
  // From the least to the most significant word; each order keeps that of the words before it.
  const words = [
    () => wordOfIds(links, 16),
    () => wordOfIds(links, 8),
    () => wordOfIds(links, 0),
    () => low,
    () => high,
  ];
  let order = Uint32Array.from(links, (_, i) => i);
  for (const wordOf of words) {
    await turn();
    const word = wordOf();
    await turn();
    order = reordered(order, radixOrder(reordered(word, order)));
  }
  return at(links, order);
}

function reordered(values: Uint32Array, places: Uint32Array): Uint32Array<ArrayBuffer> {
  const found = new Uint32Array(places.length);
  for (let i = 0; i < places.length; i++) found[i] = values[places[i] ?? 0] ?? 0;
  return found;
}

function at(links: readonly ListedLink[], places: Uint32Array): ListedLink[] {
  const found: ListedLink[] = [];
  for (const place of places) {
    const link = links[place];
    if (link !== undefined) found.push(link);
  }
  return found;
}

/** Eight hex digits of the ids from there on. */
function wordOfIds(links: readonly ListedLink[], from: number): Uint32Array {
  const words = new Uint32Array(links.length);
  for (const [i, { id }] of links.entries()) words[i] = parseInt(id.slice(from, from + 8), 16);
  return words;
}

/** The values' bits so that unsigned words are ordered as the values are: low words, high words. */
function wordsOf(
  links: readonly ListedLink[],
  value: (link: ListedLink) => number,
): [Uint32Array, Uint32Array] {
  const bits = new DataView(new ArrayBuffer(8));
  const low = new Uint32Array(links.length);
  const high = new Uint32Array(links.length);
  links.forEach((link, i) => {
    // Adding 0 makes a negative zero positive.
    bits.setFloat64(0, value(link) + 0);
    const negative = bits.getUint32(0) >= HIGHEST_BIT;
    high[i] = negative ? ~bits.getUint32(0) : bits.getUint32(0) + HIGHEST_BIT;
    low[i] = negative ? ~bits.getUint32(4) : bits.getUint32(4);
  });
  return [low, high];
}

export const SORT_FIELDS = ['created_at', 'last_click', 'total_clicks'] as const;
export type SortField = (typeof SORT_FIELDS)[number];

const VALUE: Record<SortField, (link: ListedLink) => number> = {
  created_at: (link) => link.createdAt,
  last_click: (link) => link.lastClick,
  total_clicks: (link) => link.totalClicks,
};

/** An account's links in ascending order of one field, ties by id; kept in order by merging. */
export class LinkOrder {
  private constructor(
    private sorted: readonly ListedLink[],
    private readonly value: (link: ListedLink) => number,
  ) {}

  /** The order of these links as they are at the call. */
  static async of(field: SortField, links: Iterable<ListedLink>): Promise<LinkOrder> {
    return new LinkOrder(await sortLinks([...links], VALUE[field]), VALUE[field]);
  }

  get ascending(): readonly ListedLink[] {
    return this.sorted;
  }

  /** Takes the old objects out and puts the new ones in; compares a few links only. */
  replace(old: ReadonlySet<ListedLink>, fresh: readonly ListedLink[]): void {
    if (old.size === 0 && fresh.length === 0) return;
    const sorted = this.sorted;
    const leaving = [...old].map((link) => ({ place: this.placeOf(link), link: undefined }));
    const coming = [...fresh]
      .sort((a, b) => this.compare(a, b))
      .map((link) => ({ place: this.placeOf(link), link }));
    // Stable: what comes to a place keeps its order, and stands before what leaves there.
    const changes = [...coming, ...leaving].sort((a, b) => a.place - b.place);
    const merged: ListedLink[] = [];
    let from = 0;
    for (const { place, link } of changes) {
      append(merged, sorted, from, place);
      if (link !== undefined) merged.push(link);
      from = link === undefined ? place + 1 : place;
    }
    append(merged, sorted, from, sorted.length);
    this.sorted = merged;
  }

  /** Where the link stands, or would stand. */
  private placeOf(link: ListedLink): number {
    let low = 0;
    let high = this.sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.sorted[middle];
      if (other !== undefined && this.compare(other, link) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private compare(one: ListedLink, other: ListedLink): number {
    const [a, b] = [this.value(one), this.value(other)];
    if (a !== b) return a < b ? -1 : 1;
    return one.id < other.id ? -1 : one.id > other.id ? 1 : 0;
  }
}

function append(to: ListedLink[], links: readonly ListedLink[], from: number, end: number): void {
  for (let i = from; i < end; i++) {
    const link = links[i];
    if (link !== undefined) to.push(link);
  }
}
