import { narrowNumbers, type NarrowNumbers } from '../chunk/narrow-numbers';
import type { SelectedColumns } from '../chunk/select-columns';
import { orderOfVisitors, VISITOR_WORDS, type VisitorOrder } from '../chunk/visitor-order';
import {
  highParts,
  type Segment,
  type SegmentColumn,
  type SegmentColumns,
  type SegmentTimes,
} from './segment';

export const SMALL_CHUNK = 64;
const ROWS_AT_FIRST = 1024;

/** A column in a chunk, with each value's number in its dictionary. */
export interface NumberedColumn {
  /** Empty if all rows have the first value. */
  readonly ids: NarrowNumbers;
  readonly perVisitor: boolean;
  readonly numbers: Uint32Array;
}

/** Collects rows from small chunks and sorts them together, which is several times faster. */
export class SmallChunks {
  private rows = 0;
  private words = new Uint32Array(ROWS_AT_FIRST * VISITOR_WORDS);
  private sources = new Uint32Array(ROWS_AT_FIRST);
  private at = new Float64Array(ROWS_AT_FIRST);
  private redirectMs = new Uint32Array(ROWS_AT_FIRST);
  private columns: Uint32Array[];

  constructor(
    private readonly names: readonly (keyof SegmentColumns)[],
    private readonly wanted: { readonly at: boolean; readonly redirectMs: boolean },
  ) {
    this.columns = names.map(() => new Uint32Array(ROWS_AT_FIRST));
  }

  /** @param columns sorted by name */
  add(chunk: SelectedColumns, source: number, columns: readonly NumberedColumn[]): void {
    const { n, from, offsets, redirectMs } = chunk;
    const first = this.rows;
    this.reserve(first + n);
    this.rows += n;
    for (let row = 0; row < n; row += 1) {
      this.sources[first + row] = source;
      this.at[first + row] = from + (offsets?.[row] ?? 0);
      this.redirectMs[first + row] = redirectMs?.[row] ?? 0;
    }
    this.addVisitors(chunk, first);
    for (let place = 0; place < columns.length; place += 1) {
      const [column, into] = [columns[place], this.columns[place]];
      if (column !== undefined && into !== undefined) addColumn(column, chunk, into, first);
    }
  }

  private addVisitors({ visitors, visitorRows }: SelectedColumns, first: number): void {
    for (let visitor = 0; visitor + 1 < visitorRows.length; visitor += 1) {
      const end = visitorRows[visitor + 1] ?? 0;
      for (let word = 0; word < VISITOR_WORDS; word += 1) {
        const value = wordAt(visitors, (visitor * VISITOR_WORDS + word) * 4);
        for (let row = visitorRows[visitor] ?? 0; row < end; row += 1) {
          this.words[(first + row) * VISITOR_WORDS + word] = value;
        }
      }
    }
  }

  segment(): Segment | null {
    const n = this.rows;
    if (n === 0) return null;
    const order = orderOfVisitors(this.words.subarray(0, n * VISITOR_WORDS));
    const visitors = new Uint32Array(order.distinct * VISITOR_WORDS);
    const visitorRows = new Uint32Array(order.distinct + 1);
    for (let place = n - 1; place >= 0; place -= 1) {
      const visitor = (order.numbers[place] ?? 0) - 1;
      const from = (order.places[place] ?? 0) * VISITOR_WORDS;
      visitorRows[visitor] = place;
      for (let word = 0; word < VISITOR_WORDS; word += 1) {
        visitors[visitor * VISITOR_WORDS + word] = this.words[from + word] ?? 0;
      }
    }
    visitorRows[order.distinct] = n;
    return {
      n,
      visitors,
      visitorRows,
      sources: orderedColumn(this.sources, order),
      at: this.wanted.at ? this.times(order) : null,
      redirectMs: this.wanted.redirectMs ? rowsInOrder(this.redirectMs, order) : null,
      columns: Object.fromEntries(
        this.names.map((name, place) => [
          name,
          orderedColumn(this.columns[place] ?? new Uint32Array(), order),
        ]),
      ),
    };
  }

  private times({ places: rows }: VisitorOrder): SegmentTimes {
    const { at } = this;
    let [base, to] = [Infinity, -Infinity];
    for (let row = 0; row < rows.length; row += 1) {
      const time = at[row] ?? 0;
      if (time < base) base = time;
      if (time > to) to = time;
    }
    const span = to - base;
    const low = new Uint32Array(rows.length);
    const high = highParts(rows.length, span);
    for (let place = 0; place < rows.length; place += 1) {
      const offset = (at[rows[place] ?? 0] ?? 0) - base;
      low[place] = offset % 2 ** 32;
      if (high !== null) high[place] = Math.floor(offset / 2 ** 32);
    }
    return { base, span, low, high };
  }

  private reserve(rows: number): void {
    if (rows <= this.sources.length) return;
    const room = Math.max(rows, this.sources.length * 2);
    const longer = (numbers: Uint32Array, length = room): Uint32Array<ArrayBuffer> => {
      const copy = new Uint32Array(length);
      copy.set(numbers);
      return copy;
    };
    const at = new Float64Array(room);
    at.set(this.at);
    this.at = at;
    this.words = longer(this.words, room * VISITOR_WORDS);
    this.sources = longer(this.sources);
    this.redirectMs = longer(this.redirectMs);
    this.columns = this.columns.map((column) => longer(column));
  }
}

function addColumn(
  { ids, perVisitor, numbers }: NumberedColumn,
  { n, visitorRows }: SelectedColumns,
  into: Uint32Array,
  first: number,
): void {
  if (ids.length === 0) {
    for (let row = 0; row < n; row += 1) into[first + row] = numbers[0] ?? 0;
    return;
  }
  if (!perVisitor) {
    for (let row = 0; row < n; row += 1) into[first + row] = numbers[ids[row] ?? 0] ?? 0;
    return;
  }
  for (let visitor = 0; visitor + 1 < visitorRows.length; visitor += 1) {
    const number = numbers[ids[visitor] ?? 0] ?? 0;
    const end = visitorRows[visitor + 1] ?? 0;
    for (let row = visitorRows[visitor] ?? 0; row < end; row += 1) into[first + row] = number;
  }
}

/** Reads a big-endian word: such words sort like the hash's bytes. */
function wordAt(bytes: Uint8Array, at: number): number {
  return (
    (((bytes[at] ?? 0) << 24) |
      ((bytes[at + 1] ?? 0) << 16) |
      ((bytes[at + 2] ?? 0) << 8) |
      (bytes[at + 3] ?? 0)) >>>
    0
  );
}

/** Returns one number per visitor if no visitor has several, otherwise one per row. */
function orderedColumn(numbers: Uint32Array, order: VisitorOrder): SegmentColumn {
  const { places: rows, numbers: visitors, distinct } = order;
  const ids = narrowNumbers(distinct, maxOfFirst(numbers, rows.length));
  let before = 0;
  for (let place = 0; place < rows.length; place += 1) {
    const visitor = visitors[place] ?? 0;
    const id = numbers[rows[place] ?? 0] ?? 0;
    if (visitor !== before) ids[visitor - 1] = id;
    else if (ids[visitor - 1] !== id) {
      return { ids: rowsInOrder(numbers, order), perVisitor: false };
    }
    before = visitor;
  }
  return { ids, perVisitor: true };
}

function rowsInOrder(numbers: Uint32Array, { places: rows }: VisitorOrder): NarrowNumbers {
  const into = narrowNumbers(rows.length, maxOfFirst(numbers, rows.length));
  for (let place = 0; place < rows.length; place += 1) into[place] = numbers[rows[place] ?? 0] ?? 0;
  return into;
}

function maxOfFirst(numbers: Uint32Array, count: number): number {
  let largest = 0;
  for (let i = 0; i < count; i += 1) {
    const number = numbers[i] ?? 0;
    if (number > largest) largest = number;
  }
  return largest;
}
