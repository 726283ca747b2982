import { VISITOR_BYTES } from './chunk-columns';

/** What holds distinct visitors, ascending or not, 12 bytes each. */
export interface VisitorList {
  visitors: Uint8Array;
}

/**
 * The visitors of several lists in the order of their bytes: entry `i` is visitor `index[i]` of
 * list `list[i]`; equal visitors stand together and share a number, counted from 1.
 */
export interface VisitorOrder {
  list: Uint32Array;
  index: Uint32Array;
  number: Uint32Array;
  distinct: number;
}

const DIGIT = 11;
const DIGITS = 3;
const BUCKETS = 1 << DIGIT;

/** Sorts by the leading 32 bits (radix), then settles the few equal prefixes byte by byte. */
export function visitorOrder(lists: readonly VisitorList[]): VisitorOrder {
  const total = lists.reduce((sum, { visitors }) => sum + visitors.length / VISITOR_BYTES, 0);
  const list = new Uint32Array(total);
  const index = new Uint32Array(total);
  const prefix = new Uint32Array(total);
  let entry = 0;
  lists.forEach(({ visitors }, at) => {
    const view = new DataView(visitors.buffer, visitors.byteOffset, visitors.byteLength);
    for (let byte = 0; byte < visitors.length; byte += VISITOR_BYTES) {
      list[entry] = at;
      index[entry] = byte / VISITOR_BYTES;
      prefix[entry] = view.getUint32(byte);
      entry += 1;
    }
  });
  if (lists.length > 1) {
    const order = radixOrder(prefix);
    return numbered(lists, take(list, order), take(index, order), take(prefix, order));
  }
  return numbered(lists, list, index, prefix);
}

function radixOrder(keys: Uint32Array): Uint32Array {
  let from = Uint32Array.from(keys, (_key, i) => i);
  let to = new Uint32Array(keys.length);
  for (let digit = 0; digit < DIGITS; digit += 1) {
    const shift = digit * DIGIT;
    const starts = new Uint32Array(BUCKETS + 1);
    for (const key of keys) {
      const bucket = ((key >>> shift) & (BUCKETS - 1)) + 1;
      starts[bucket] = (starts[bucket] ?? 0) + 1;
    }
    for (let i = 1; i <= BUCKETS; i += 1) starts[i] = (starts[i] ?? 0) + (starts[i - 1] ?? 0);
    for (const at of from) {
      const bucket = ((keys[at] ?? 0) >>> shift) & (BUCKETS - 1);
      const place = starts[bucket] ?? 0;
      to[place] = at;
      starts[bucket] = place + 1;
    }
    [from, to] = [to, from];
  }
  return from;
}

function take(values: Uint32Array, order: Uint32Array): Uint32Array {
  const taken = new Uint32Array(order.length);
  for (let i = 0; i < order.length; i += 1) taken[i] = values[order[i] ?? 0] ?? 0;
  return taken;
}

function numbered(
  lists: readonly VisitorList[],
  list: Uint32Array,
  index: Uint32Array,
  prefix: Uint32Array,
): VisitorOrder {
  const number = new Uint32Array(list.length);
  const compare = (a: number, b: number) => compareVisitors(lists, list, index, a, b);
  let distinct = 0;
  for (let start = 0; start < list.length;) {
    let end = start + 1;
    while (end < list.length && prefix[end] === prefix[start]) end += 1;
    if (end - start > 1) settle(list, index, start, end, compare);
    for (let i = start; i < end; i += 1) {
      if (i === start || compare(i - 1, i) !== 0) distinct += 1;
      number[i] = distinct;
    }
    start = end;
  }
  return { list, index, number, distinct };
}

/** Puts entries of one prefix into the order of their remaining bytes, unless they all agree. */
function settle(
  list: Uint32Array,
  index: Uint32Array,
  start: number,
  end: number,
  compare: (a: number, b: number) => number,
): void {
  let sorted = true;
  for (let i = start + 1; i < end && sorted; i += 1) sorted = compare(i - 1, i) <= 0;
  if (sorted) return;
  const places = Array.from({ length: end - start }, (_, i) => start + i).sort(compare);
  const lists = places.map((place) => list[place] ?? 0);
  const indexes = places.map((place) => index[place] ?? 0);
  list.set(lists, start);
  index.set(indexes, start);
}

function compareVisitors(
  lists: readonly VisitorList[],
  list: Uint32Array,
  index: Uint32Array,
  a: number,
  b: number,
): number {
  const left = lists[list[a] ?? 0]?.visitors ?? new Uint8Array();
  const right = lists[list[b] ?? 0]?.visitors ?? new Uint8Array();
  const leftAt = (index[a] ?? 0) * VISITOR_BYTES;
  const rightAt = (index[b] ?? 0) * VISITOR_BYTES;
  for (let i = 0; i < VISITOR_BYTES; i += 1) {
    const difference = (left[leftAt + i] ?? 0) - (right[rightAt + i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
