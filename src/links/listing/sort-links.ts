import { setImmediate as turn } from 'node:timers/promises';
import { radixOrder } from '../../core/radix-order';
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
