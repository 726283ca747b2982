export const VISITOR_WORDS = 3;
/** Average visitors per spot (sort bucket); a visitor in several lists counts once per list. */
const VISITORS_A_SPOT = 4;
/** Larger sort buckets, from unevenly distributed hashes, use another sort algorithm. */
const MAX_INSERTION_SORT = 256;

/**
 * Visitors sorted by hash. Entry `i` was at position `places[i]` in the input. Equal visitors
 * are adjacent, in input order, and have the same number, counted from 1.
 */
export interface VisitorOrder {
  readonly places: Uint32Array;
  readonly numbers: Uint32Array;
  readonly distinct: number;
}

/** Returns three numbers per visitor that sort like the hash's bytes. */
export function visitorWords(visitors: Uint8Array): Uint32Array {
  const view = new DataView(visitors.buffer, visitors.byteOffset, visitors.byteLength);
  const words = new Uint32Array(visitors.length / 4);
  for (let i = 0; i < words.length; i += 1) words[i] = view.getUint32(i * 4);
  return words;
}

/** Whether no visitor has rows with different IDs (true for most browsers and places). */
export function constantPerVisitor(
  ids: Uint8Array | Uint32Array,
  visitorRows: Uint32Array,
): boolean {
  for (let visitor = 0; visitor + 1 < visitorRows.length; visitor += 1) {
    const end = visitorRows[visitor + 1] ?? 0;
    for (let row = (visitorRows[visitor] ?? 0) + 1; row < end; row += 1) {
      if (ids[row] !== ids[row - 1]) return false;
    }
  }
  return true;
}

export function visitorOrder(lists: readonly Uint32Array[]): VisitorOrder {
  const [first, second] = lists;
  if (lists.length === 1 && first !== undefined) return orderOfOne(first);
  if (lists.length === 2 && first && second) return orderOfTwo(first, second);
  const all = new Uint32Array(lists.reduce((sum, { length }) => sum + length, 0));
  let next = 0;
  for (const words of lists) {
    all.set(words, next);
    next += words.length;
  }
  return orderOfVisitors(all);
}

/**
 * Sorts visitors given as three words each. Hashes are evenly distributed, so the first word
 * almost gives the position: a single pass fills sort buckets, which are then sorted one by one.
 */
export function orderOfVisitors(words: Uint32Array): VisitorOrder {
  const count = words.length / VISITOR_WORDS;
  const low = leastWord(words);
  const spots = Math.ceil(count / VISITORS_A_SPOT);
  const scale = spots / (largestWord(words) - low + 1);
  const ends = new Uint32Array(spots + 1);
  const places = new Uint32Array(count);
  const numbers = new Uint32Array(count);
  countBySpot(words, low, scale, ends);
  addUp(ends);
  dealToSpots(words, low, scale, ends, places);
  sortSpots(places, words, ends);
  const distinct = numberVisitors(places, words, numbers);
  return { places, numbers, distinct };
}

// Each long loop is a function that ends with the loop: V8 optimises a running loop without
// type feedback for the code after it, and would deoptimise when the loop ends.

function leastWord(words: Uint32Array): number {
  let least = Infinity;
  for (let i = 0; i < words.length; i += VISITOR_WORDS) least = Math.min(least, words[i] ?? 0);
  return least;
}

function largestWord(words: Uint32Array): number {
  let largest = 0;
  for (let i = 0; i < words.length; i += VISITOR_WORDS) largest = Math.max(largest, words[i] ?? 0);
  return largest;
}

function countBySpot(words: Uint32Array, low: number, scale: number, counts: Uint32Array): void {
  for (let i = 0; i < words.length; i += VISITOR_WORDS) {
    const spot = Math.floor(((words[i] ?? 0) - low) * scale) + 1;
    counts[spot] = (counts[spot] ?? 0) + 1;
  }
}

function addUp(counts: Uint32Array): void {
  for (let i = 1; i < counts.length; i += 1) counts[i] = (counts[i] ?? 0) + (counts[i - 1] ?? 0);
}

/** Expects the start of each sort bucket in the array, and replaces it with the bucket's end. */
function dealToSpots(
  words: Uint32Array,
  low: number,
  scale: number,
  ends: Uint32Array,
  places: Uint32Array,
): void {
  for (let place = 0; place < places.length; place += 1) {
    const spot = Math.floor(((words[place * VISITOR_WORDS] ?? 0) - low) * scale);
    const entry = ends[spot] ?? 0;
    ends[spot] = entry + 1;
    places[entry] = place;
  }
}

function sortSpots(places: Uint32Array, words: Uint32Array, ends: Uint32Array): void {
  for (let spot = 0, start = 0; spot + 1 < ends.length; spot += 1) {
    const end = ends[spot] ?? 0;
    sort(places, words, start, end);
    start = end;
  }
}

function sort(places: Uint32Array, words: Uint32Array, start: number, end: number): void {
  if (end - start > MAX_INSERTION_SORT) {
    const order = (a: number, b: number): number => compareAt(words, a, words, b) || a - b;
    places.subarray(start, end).sort(order);
    return;
  }
  for (let next = start + 1; next < end; next += 1) {
    const place = places[next] ?? 0;
    let to = next;
    while (to > start && compareAt(words, places[to - 1] ?? 0, words, place) > 0) {
      places[to] = places[to - 1] ?? 0;
      to -= 1;
    }
    places[to] = place;
  }
}

/** Numbers the visitors and returns how many are distinct. */
function numberVisitors(places: Uint32Array, words: Uint32Array, numbers: Uint32Array): number {
  let distinct = 0;
  for (let entry = 0, before = -1; entry < places.length; entry += 1) {
    const place = places[entry] ?? 0;
    if (before === -1 || compareAt(words, before, words, place) !== 0) distinct += 1;
    numbers[entry] = distinct;
    before = place;
  }
  return distinct;
}

function orderOfOne(words: Uint32Array): VisitorOrder {
  const distinct = words.length / VISITOR_WORDS;
  const places = new Uint32Array(distinct);
  const numbers = new Uint32Array(distinct);
  for (let i = 0; i < distinct; i += 1) {
    places[i] = i;
    numbers[i] = i + 1;
  }
  return { places, numbers, distinct };
}

function orderOfTwo(left: Uint32Array, right: Uint32Array): VisitorOrder {
  const [leftEnd, rightEnd] = [left.length / VISITOR_WORDS, right.length / VISITOR_WORDS];
  const total = leftEnd + rightEnd;
  const places = new Uint32Array(total);
  const numbers = new Uint32Array(total);
  let distinct = 0;
  for (let l = 0, r = 0, entry = 0; entry < total; entry += 1) {
    const order = l === leftEnd ? 1 : r === rightEnd ? -1 : compareAt(left, l, right, r);
    distinct += 1;
    // If both lists contain the visitor, the right entry follows the left with the same number.
    if (order <= 0) {
      places[entry] = l;
      numbers[entry] = distinct;
      l += 1;
      if (order < 0) continue;
      entry += 1;
    }
    places[entry] = leftEnd + r;
    numbers[entry] = distinct;
    r += 1;
  }
  return { places, numbers, distinct };
}

function compareAt(left: Uint32Array, l: number, right: Uint32Array, r: number): number {
  for (let word = 0; word < VISITOR_WORDS; word += 1) {
    const difference =
      (left[l * VISITOR_WORDS + word] ?? 0) - (right[r * VISITOR_WORDS + word] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
