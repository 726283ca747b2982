import { firstRowInBlock, type LinkColumns, type SortColumn } from './link-columns';
import { NO_EXPIRY } from './listed-link';
import type { SortField } from './link-list';
import type { Turns } from './turns';
import { type IdWords, LIVE, type SortLine } from './row-block';

type SortKey = { readonly column: SortColumn } | { readonly line: SortLine };

const SORT_KEYS: Record<SortField, SortKey> = {
  created_at: { column: 'createdAt' },
  last_click: { column: 'lastClick' },
  total_clicks: { column: 'totalClicks' },
  title: { line: 'title' },
  alias: { line: 'alias' },
  expire_after: { column: 'expireAfter' },
};

/** Number of steps between checks of the clock. */
const STEPS = 1 << 14;
/** Number of rows to sort by comparing, which takes about a millisecond. */
const RUN = 1 << 10;
const WORD_BYTES = 4;
/** Additional capacity, so that most inserts do not reallocate the array. */
const SPARE_SHARE = 16;

/** Rows sorted by a key, then by id. Rows without a title or expiry come last. */
export class LinkOrder {
  private constructor(
    private readonly columns: LinkColumns,
    private readonly key: SortKey | null,
    private rows: Uint32Array,
    private count: number,
  ) {}

  static async byId(columns: LinkColumns, turns: Turns): Promise<LinkOrder> {
    const rows = liveRows(columns);
    const words = [2, 1, 0].map((word) => (row: number) => columns.idWord(row, word));
    return new LinkOrder(columns, null, await sorted(rows, words, turns), rows.length);
  }

  static async by(field: SortField, ids: LinkOrder, turns: Turns): Promise<LinkOrder> {
    const { columns, count } = ids;
    const key = SORT_KEYS[field];
    if ('line' in key) {
      const order = new LinkOrder(columns, key, ids.rows.slice(0, count), count);
      await order.sortLines(key.line, order.rows, 0, turns);
      return order;
    }
    const { column } = key;
    const words = [
      (row: number) => lowWord(columns.value(column, row)),
      (row: number) => highWord(columns.value(column, row)),
    ];
    const rows = await sorted(ids.rows.subarray(0, count), words, turns);
    return new LinkOrder(columns, key, rows, count);
  }

  get length(): number {
    return this.count;
  }

  get bytes(): number {
    return this.rows.byteLength;
  }

  at(place: number): number {
    return this.rows[place] ?? 0;
  }

  /** Rows without a value come last in descending order, too. */
  descending(): (place: number) => number {
    const last = this.count - 1;
    const valued = this.lowest((row) => this.lacksValue(row));
    return (place) => this.at(place < valued ? valued - 1 - place : last + valued - place);
  }

  find(words: IdWords): number | undefined {
    const place = this.lowest((row) => this.columns.compareId(row, words) >= 0);
    const row = this.at(place);
    return place < this.count && this.columns.compareId(row, words) === 0 ? row : undefined;
  }

  /** Call before the columns change, since rows are found by their current values. */
  remove(leaving: readonly number[]): void {
    const places = Uint32Array.from(leaving, (row) => this.findPlace(row)).sort();
    let to = places[0] ?? 0;
    places.forEach((place, i) => {
      const next = places[i + 1] ?? this.count;
      this.rows.copyWithin(to, place + 1, next);
      to += next - place - 1;
    });
    this.count -= places.length;
  }

  /** Call after the columns contain the new values. */
  insert(coming: readonly number[]): void {
    const fresh = [...coming].sort((a, b) => this.compare(a, b));
    const places = fresh.map((row) => this.findPlace(row));
    this.makeRoom(fresh.length);
    let end = this.count;
    for (let i = fresh.length - 1; i >= 0; i--) {
      const place = places[i] ?? 0;
      // Shifts each row by the number of rows inserted before it.
      this.rows.copyWithin(place + i + 1, place, end);
      this.rows[place + i] = fresh[i] ?? 0;
      end = place;
    }
    this.count += fresh.length;
  }

  private makeRoom(rows: number): void {
    const needed = this.count + rows;
    if (needed <= this.rows.length) return;
    const wide = new Uint32Array(needed + Math.ceil(needed / SPARE_SHARE));
    wide.set(this.rows.subarray(0, this.count));
    this.rows = wide;
  }

  private findPlace(row: number): number {
    return this.lowest((candidate) => this.compare(candidate, row) >= 0);
  }

  /** Binary search for the first row that passes. All later rows must pass, too. */
  private lowest(passes: (row: number) => boolean): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (passes(this.at(middle))) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  private compare(firstRow: number, secondRow: number): number {
    const { columns, key } = this;
    if (key !== null && 'line' in key) {
      const difference = columns.compareLines(key.line, firstRow, secondRow);
      if (difference !== 0) return difference;
    } else if (key !== null) {
      const [a, b] = [columns.value(key.column, firstRow), columns.value(key.column, secondRow)];
      if (a !== b) return a < b ? -1 : 1;
    }
    for (let word = 0; word < 3; word++) {
      const difference = columns.idWord(firstRow, word) - columns.idWord(secondRow, word);
      if (difference !== 0) return difference;
    }
    return 0;
  }

  private lacksValue(row: number): boolean {
    const { columns, key } = this;
    if (key === null) return false;
    if ('line' in key) return !columns.hasLine(key.line, row);
    return key.column === 'expireAfter' && columns.value(key.column, row) === NO_EXPIRY;
  }

  /** Sorts rows whose texts start with the same bytes by the next ones, which is faster than comparing. */
  private async sortLines(
    line: SortLine,
    rows: Uint32Array,
    skip: number,
    turns: Turns,
  ): Promise<void> {
    const low = (row: number): number => this.columns.lineWord(line, row, skip + WORD_BYTES);
    const high = (row: number): number => this.columns.lineWord(line, row, skip);
    rows.set(await sorted(rows, [low, high], turns));
    for (let begin = 0, end = 0; begin < rows.length; begin = end) {
      const first = rows[begin] ?? 0;
      const [firstLow, firstHigh] = [low(first), high(first)];
      const isSame = (row = 0): boolean => low(row) === firstLow && high(row) === firstHigh;
      do {
        if (++end % RUN === 0 && turns.due) await turns.next();
      } while (end < rows.length && isSame(rows[end]));
      const same = rows.subarray(begin, end);
      if (this.columns.lineWord(line, first, skip + 2 * WORD_BYTES) === 0) continue;
      if (same.length > RUN) await this.sortLines(line, same, skip + 2 * WORD_BYTES, turns);
      else if (same.length > 1) same.sort((a, b) => this.compare(a, b));
    }
  }
}

function liveRows(columns: LinkColumns): Uint32Array {
  const rows = new Uint32Array(columns.rowsEnd);
  let count = 0;
  columns.blocks.forEach((block, b) => {
    for (let i = 0; i < block.rows; i++) {
      if (((block.flags[i] ?? 0) & LIVE) !== 0) rows[count++] = firstRowInBlock(b) + i;
    }
  });
  return rows.subarray(0, count);
}

const bits = new DataView(new ArrayBuffer(8));
const HIGHEST_BIT = 0x8000_0000;

/** High word of a key that sorts like the value: the float bits, inverted for negative values. */
function highWord(value: number): number {
  bits.setFloat64(0, value + 0);
  const high = bits.getUint32(0);
  return high >= HIGHEST_BIT ? ~high >>> 0 : high + HIGHEST_BIT;
}

function lowWord(value: number): number {
  bits.setFloat64(0, value + 0);
  const low = bits.getUint32(4);
  return bits.getUint32(0) >= HIGHEST_BIT ? ~low >>> 0 : low;
}

const DIGIT_BITS = 11;
const DIGITS = 1 << DIGIT_BITS;
const DIGIT = DIGITS - 1;

/** Stable radix sort, least significant word first; a million rows take 20 ms per word. */
async function sorted(
  rows: Uint32Array,
  words: readonly ((row: number) => number)[],
  turns: Turns,
): Promise<Uint32Array> {
  let from = rows.slice();
  let to = new Uint32Array(rows.length);
  let fromKeys = new Uint32Array(rows.length);
  let toKeys = new Uint32Array(rows.length);
  for (const wordOf of words) {
    const [low, middle, high] = [0, 1, 2].map(() => new Uint32Array(DIGITS)) as [
      Uint32Array,
      Uint32Array,
      Uint32Array,
    ];
    let isInOrder = true;
    for (let i = 0, previous = 0; i < from.length; i++) {
      if (i % STEPS === 0 && turns.due) await turns.next();
      const key = wordOf(from[i] ?? 0);
      isInOrder &&= key >= previous;
      previous = key;
      fromKeys[i] = key;
      incrementDigit(low, key & DIGIT);
      incrementDigit(middle, (key >>> DIGIT_BITS) & DIGIT);
      incrementDigit(high, key >>> (2 * DIGIT_BITS));
    }
    // The database often returns links in the order of their ids.
    if (isInOrder) continue;
    for (const [i, places] of [low, middle, high].entries()) {
      const shift = i * DIGIT_BITS;
      // Skips digits that are the same in all rows, which is common for times.
      if (places.includes(from.length)) continue;
      toStarts(places);
      for (let i = 0; i < from.length; i++) {
        if (i % STEPS === 0 && turns.due) await turns.next();
        const key = fromKeys[i] ?? 0;
        const digit = (key >>> shift) & DIGIT;
        const place = places[digit] ?? 0;
        places[digit] = place + 1;
        toKeys[place] = key;
        to[place] = from[i] ?? 0;
      }
      [from, to] = [to, from];
      [fromKeys, toKeys] = [toKeys, fromKeys];
    }
  }
  return from;
}

function incrementDigit(counts: Uint32Array, digit: number): void {
  counts[digit] = (counts[digit] ?? 0) + 1;
}

function toStarts(counts: Uint32Array): void {
  let next = 0;
  for (let digit = 0; digit < counts.length; digit++) {
    const count = counts[digit] ?? 0;
    counts[digit] = next;
    next += count;
  }
}
