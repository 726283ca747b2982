import { radixOrder } from '../../../common/radix-order';

/** Words of 32 bits in a visitor hash. */
export const VISITOR_WORDS = 3;

/**
 * The visitors of several lists in the order of their hashes: entry `i` is visitor `index[i]` of
 * list `list[i]`; equal visitors stand together, in the order of their lists, and share a number,
 * counted from 1.
 */
export interface VisitorOrder {
  list: Uint32Array;
  index: Uint32Array;
  number: Uint32Array;
  distinct: number;
}

/** The rows of visitors in any order, by visitor; rows of one visitor in the order in which they stand. */
export interface RowOrder {
  rows: Uint32Array;
  /** Of the visitor of each row in that order, counted from 1. */
  number: Uint32Array;
  distinct: number;
}

/** Visitor hashes as numbers that compare like their bytes, three for each visitor. */
export function wordsOf(visitors: Uint8Array): Uint32Array {
  const view = new DataView(visitors.buffer, visitors.byteOffset, visitors.byteLength);
  const words = new Uint32Array(visitors.length / 4);
  for (let i = 0; i < words.length; i += 1) words[i] = view.getUint32(i * 4);
  return words;
}

/** Whether all rows of each visitor have the same id, as with browser, system and mostly place. */
export function constantPerVisitor(ids: Uint32Array, visitorRows: Uint32Array): boolean {
  for (let visitor = 0; visitor + 1 < visitorRows.length; visitor += 1) {
    const end = visitorRows[visitor + 1] ?? 0;
    for (let row = (visitorRows[visitor] ?? 0) + 1; row < end; row += 1) {
      if (ids[row] !== ids[row - 1]) return false;
    }
  }
  return true;
}

/**
 * Sorts lists of distinct visitors, each ascending: by the leading 32 bits (radix), then the few
 * that agree in them by the rest.
 */
export function visitorOrder(lists: readonly Uint32Array[]): VisitorOrder {
  const [first, second] = lists;
  if (lists.length === 1 && first !== undefined) return orderOfOne(first);
  if (lists.length === 2 && first && second) return orderOfTwo(first, second);
  const total = lists.reduce((sum, words) => sum + words.length / VISITOR_WORDS, 0);
  const list = new Uint32Array(total);
  const index = new Uint32Array(total);
  const keys = [new Uint32Array(total), new Uint32Array(total), new Uint32Array(total)] as const;
  let entry = 0;
  lists.forEach((words, at) => {
    const count = words.length / VISITOR_WORDS;
    for (let i = 0; i < count; i += 1) {
      list[entry] = at;
      index[entry] = i;
      keys[0][entry] = words[i * VISITOR_WORDS] ?? 0;
      keys[1][entry] = words[i * VISITOR_WORDS + 1] ?? 0;
      keys[2][entry] = words[i * VISITOR_WORDS + 2] ?? 0;
      entry += 1;
    }
  });
  const order = radixOrder(keys[0]);
  const { number, distinct } = settle(order, keys);
  return { list: take(list, order), index: take(index, order), number, distinct };
}

/** Sorts rows by their visitors, three words each. */
export function orderOfRows(words: Uint32Array): RowOrder {
  const count = words.length / VISITOR_WORDS;
  const keys = [new Uint32Array(count), new Uint32Array(count), new Uint32Array(count)] as const;
  for (let i = 0; i < count; i += 1) {
    keys[0][i] = words[i * VISITOR_WORDS] ?? 0;
    keys[1][i] = words[i * VISITOR_WORDS + 1] ?? 0;
    keys[2][i] = words[i * VISITOR_WORDS + 2] ?? 0;
  }
  const rows = radixOrder(keys[0]);
  return { rows, ...settle(rows, keys) };
}

function orderOfOne(words: Uint32Array): VisitorOrder {
  const distinct = words.length / VISITOR_WORDS;
  const index = new Uint32Array(distinct);
  const number = new Uint32Array(distinct);
  for (let i = 0; i < distinct; i += 1) {
    index[i] = i;
    number[i] = i + 1;
  }
  return { list: new Uint32Array(distinct), index, number, distinct };
}

/** Both lists ascend: one pass side by side is enough. */
function orderOfTwo(left: Uint32Array, right: Uint32Array): VisitorOrder {
  const [leftEnd, rightEnd] = [left.length / VISITOR_WORDS, right.length / VISITOR_WORDS];
  const total = leftEnd + rightEnd;
  const list = new Uint32Array(total);
  const index = new Uint32Array(total);
  const number = new Uint32Array(total);
  let distinct = 0;
  for (let l = 0, r = 0, entry = 0; entry < total; entry += 1) {
    const order = l === leftEnd ? 1 : r === rightEnd ? -1 : compareAt(left, l, right, r);
    // Of a visitor in both lists the left comes first, the right follows under its number.
    if (order <= 0) {
      index[entry] = l;
      l += 1;
      distinct += 1;
      number[entry] = distinct;
      if (order === 0) {
        entry += 1;
        list[entry] = 1;
        index[entry] = r;
        number[entry] = distinct;
        r += 1;
      }
    } else {
      list[entry] = 1;
      index[entry] = r;
      r += 1;
      distinct += 1;
      number[entry] = distinct;
    }
  }
  return { list, index, number, distinct };
}

function compareAt(left: Uint32Array, l: number, right: Uint32Array, r: number): number {
  for (let word = 0; word < VISITOR_WORDS; word += 1) {
    const difference =
      (left[l * VISITOR_WORDS + word] ?? 0) - (right[r * VISITOR_WORDS + word] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

type Keys = readonly [Uint32Array, Uint32Array, Uint32Array];

/** Puts entries of one prefix into the order of the rest, in place, and numbers all entries. */
function settle(order: Uint32Array, keys: Keys): { number: Uint32Array; distinct: number } {
  const [first, second, third] = keys;
  const number = new Uint32Array(order.length);
  const compare = (a: number, b: number): number =>
    (second[a] ?? 0) - (second[b] ?? 0) || (third[a] ?? 0) - (third[b] ?? 0);
  let distinct = 0;
  for (let start = 0, end = 0; start < order.length; start = end) {
    const prefix = first[order[start] ?? 0];
    let sorted = true;
    for (end += 1; end < order.length; end += 1) {
      const entry = order[end] ?? 0;
      if (first[entry] !== prefix) break;
      if (compare(order[end - 1] ?? 0, entry) > 0) sorted = false;
    }
    if (!sorted) order.subarray(start, end).sort((a, b) => compare(a, b) || a - b);
    number[start] = distinct += 1;
    for (let i = start + 1; i < end; i += 1) {
      if (compare(order[i - 1] ?? 0, order[i] ?? 0) !== 0) distinct += 1;
      number[i] = distinct;
    }
  }
  return { number, distinct };
}

function take(values: Uint32Array, order: Uint32Array): Uint32Array {
  const taken = new Uint32Array(order.length);
  for (let i = 0; i < order.length; i += 1) taken[i] = values[order[i] ?? 0] ?? 0;
  return taken;
}
