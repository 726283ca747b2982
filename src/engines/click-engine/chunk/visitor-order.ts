/** Words of 32 bits in a visitor hash. */
export const VISITOR_WORDS = 3;
/** On average; the same visitor in many lists is several. */
const VISITORS_A_SPOT = 4;
/** More are sorted otherwise: of hashes that are not evenly spread. */
const MAX_INSERTION_SORT = 256;

/**
 * Visitors in the order of their hashes: entry `i` is the one at `places[i]` of where they stood;
 * equal visitors stand together, in the order of their places, and share a number, counted from 1.
 */
export interface VisitorOrder {
  readonly places: Uint32Array;
  readonly numbers: Uint32Array;
  readonly distinct: number;
}

/** Visitor hashes as numbers that compare like their bytes, three for each visitor. */
export function visitorWords(visitors: Uint8Array): Uint32Array {
  const view = new DataView(visitors.buffer, visitors.byteOffset, visitors.byteLength);
  const words = new Uint32Array(visitors.length / 4);
  for (let i = 0; i < words.length; i += 1) words[i] = view.getUint32(i * 4);
  return words;
}

/** Whether all rows of each visitor have the same id, as with browser, system and mostly place. */
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

/** Sorts lists of distinct visitors, each ascending; places count through all lists. */
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
 * Sorts visitors, three words each. Hashes are evenly spread, so that the leading word says almost
 * where each of them belongs: they are dealt to that many places in one pass, which for lists that
 * ascend goes through the memory from one end to the other, and the few of a place put into order.
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

// Each loop is a function of its own, with nothing behind it: V8 compiles a long loop while it runs,
// knows nothing yet of what comes next, and would go on interpreted there, each time anew.

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

/** Begins where the spots begin; what is there are their ends then. */
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

/** By insertion where they are few, as they nearly always are. */
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

/** Answers how many there are. */
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

/** Both lists ascend: one pass side by side is enough. */
function orderOfTwo(left: Uint32Array, right: Uint32Array): VisitorOrder {
  const [leftEnd, rightEnd] = [left.length / VISITOR_WORDS, right.length / VISITOR_WORDS];
  const total = leftEnd + rightEnd;
  const places = new Uint32Array(total);
  const numbers = new Uint32Array(total);
  let distinct = 0;
  for (let l = 0, r = 0, entry = 0; entry < total; entry += 1) {
    const order = l === leftEnd ? 1 : r === rightEnd ? -1 : compareAt(left, l, right, r);
    distinct += 1;
    // For a visitor in both lists the left comes first, the right follows under its number.
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
