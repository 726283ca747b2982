import type { ListedLink } from './listed-link';
import { sortLinks } from './sort-links';

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
