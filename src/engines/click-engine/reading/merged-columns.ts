import { largestStorable, type NarrowNumbers, narrowNumbers } from '../chunk/narrow-numbers';
import type { MergeSlice } from './merge-slices';
import { highParts, type SegmentColumn, type SegmentTimes } from './segment';

/** Stores one number per visitor until a visitor has several numbers, then one per row. */
export class MergedColumn {
  /** One number per visitor, by slice; null once numbers are stored per row. */
  private slices: SliceNumbers[] | null;
  private rows: NarrowNumbers | null = null;
  private readonly largest: number;

  constructor(
    private readonly parts: readonly SegmentColumn[],
    private readonly n: number,
    private readonly scratch: MergeScratch,
  ) {
    this.slices = parts.every(({ perVisitor }) => perVisitor) ? [] : null;
    this.largest = Math.max(...parts.map(({ ids }) => largestStorable(ids)));
  }

  add(slice: MergeSlice): void {
    const numbers = this.slices && this.oneEach(slice);
    if (numbers === null) fillRows(slice, this.parts, this.byRow(), this.scratch);
    else this.slices?.push({ numbers, row: slice.row, visitorRows: slice.visitorRows });
  }

  column(): SegmentColumn {
    if (this.slices === null) return { ids: this.byRow(), perVisitor: false };
    const count = this.slices.reduce((sum, { numbers }) => sum + numbers.length, 0);
    const ids = narrowNumbers(count, this.largest);
    let next = 0;
    for (const { numbers } of this.slices) {
      ids.set(numbers, next);
      next += numbers.length;
    }
    return { ids, perVisitor: true };
  }

  /** Null if a visitor has different numbers in different segments. */
  private oneEach({ stretches, visitorRows, ...order }: MergeSlice): NarrowNumbers | null {
    const merged = this.scratch.merged.room(visitorRows.length - 1);
    let first = 0;
    for (const { place, from, to } of stretches) {
      const numbers = this.scratch.part.copyRange(partAt(this.parts, place).ids, from, to);
      if (!putOneEach(numbers, order, first, merged)) return null;
      first += to - from;
    }
    const numbers = narrowNumbers(merged.length, this.largest);
    numbers.set(merged);
    return numbers;
  }

  /** Switches to one number per row and converts the slices already added. */
  private byRow(): NarrowNumbers {
    if (this.rows !== null) return this.rows;
    const rows = narrowNumbers(this.n, this.largest);
    for (const { numbers, row, visitorRows } of this.slices ?? []) {
      for (let visitor = 0; visitor < numbers.length; visitor += 1) {
        const [from, to] = [visitorRows[visitor] ?? 0, visitorRows[visitor + 1] ?? 0];
        rows.fill(numbers[visitor] ?? 0, row + from, row + to);
      }
    }
    this.slices = null;
    this.rows = rows;
    return rows;
  }
}

interface SliceNumbers extends Pick<MergeSlice, 'row' | 'visitorRows'> {
  readonly numbers: NarrowNumbers;
}

export class MergedTimes {
  readonly times: SegmentTimes;
  private readonly low: readonly ColumnPart[];

  constructor(
    private readonly parts: readonly SegmentTimes[],
    n: number,
    private readonly scratch: MergeScratch,
  ) {
    const base = Math.min(...parts.map((part) => part.base));
    const span = Math.max(...parts.map((part) => part.base + part.span)) - base;
    this.times = { base, span, low: new Uint32Array(n), high: highParts(n, span) };
    this.low = parts.map((part) => {
      return { ids: part.low, perVisitor: false, plus: part.base - base };
    });
  }

  add(slice: MergeSlice): void {
    const { low, high } = this.times;
    if (high === null) fillRows(slice, this.low, low, this.scratch);
    else this.addWide(slice, low, high);
  }

  /** Adds rows whose times span 50 days or more. */
  private addWide(
    { stretches, row: start, targets }: MergeSlice,
    low: Uint32Array,
    high: NarrowNumbers,
  ): void {
    let next = 0;
    for (const { segment, place, from, to } of stretches) {
      const part = partAt(this.parts, place);
      const shift = part.base - this.times.base;
      const end = segment.visitorRows[to] ?? 0;
      for (let row = segment.visitorRows[from] ?? 0; row < end; row += 1, next += 1) {
        const into = start + (targets === null ? next : (targets[next] ?? 0));
        const time = shift + (part.low[row] ?? 0) + (part.high?.[row] ?? 0) * 2 ** 32;
        high[into] = Math.floor(time / 2 ** 32);
        low[into] = time % 2 ** 32;
      }
    }
  }
}

/** Part of a column stored per row; `plus` is added to each number. */
interface ColumnPart extends SegmentColumn {
  readonly plus?: number;
}

function fillRows(
  { stretches, row, rows, targets }: MergeSlice,
  parts: readonly ColumnPart[],
  into: NarrowNumbers,
  scratch: MergeScratch,
): void {
  const merged = targets === null ? null : scratch.merged.room(rows);
  let next = 0;
  for (const { segment, place, from, to } of stretches) {
    const { ids, perVisitor, plus = 0 } = partAt(parts, place);
    const { visitorRows } = segment;
    const [first, end] = [visitorRows[from] ?? 0, visitorRows[to] ?? 0];
    if (targets === null || merged === null) {
      const target = into.subarray(row + next, row + next + end - first);
      if (perVisitor) target.fill(ids[from] ?? 0);
      else copyPlus(ids.subarray(first, end), plus, target);
    } else if (perVisitor) {
      spread(scratch.part.copyRange(ids, from, to), visitorRows, from, targets, next, merged);
    } else {
      scatter(scratch.part.copyRange(ids, first, end), plus, targets, next, merged);
    }
    next += end - first;
  }
  if (merged !== null) into.set(merged, row);
}

function copyPlus(numbers: NarrowNumbers, plus: number, into: NarrowNumbers): void {
  into.set(numbers);
  if (plus === 0) return;
  for (let i = 0; i < into.length; i += 1) into[i] = (into[i] ?? 0) + plus;
}

function scatter(
  numbers: Uint32Array,
  plus: number,
  targets: Uint32Array,
  first: number,
  into: Uint32Array,
): void {
  for (let i = 0; i < numbers.length; i += 1) {
    into[targets[first + i] ?? 0] = (numbers[i] ?? 0) + plus;
  }
}

function spread(
  numbers: Uint32Array,
  visitorRows: Uint32Array,
  from: number,
  targets: Uint32Array,
  first: number,
  into: Uint32Array,
): void {
  let next = first;
  for (let i = 0; i < numbers.length; i += 1) {
    const number = numbers[i] ?? 0;
    const end = next + (visitorRows[from + i + 1] ?? 0) - (visitorRows[from + i] ?? 0);
    for (; next < end; next += 1) into[targets[next] ?? 0] = number;
  }
}

/** Returns false if a visitor has another number in an earlier stretch. */
function putOneEach(
  numbers: Uint32Array,
  { positions, isFirst }: Pick<MergeSlice, 'positions' | 'isFirst'>,
  first: number,
  into: Uint32Array,
): boolean {
  let differences = 0;
  for (let i = 0; i < numbers.length; i += 1) {
    const at = positions[first + i] ?? 0;
    const number = numbers[i] ?? 0;
    // Without a branch, because the CPU could not predict it.
    differences |= ((into[at] ?? 0) ^ number) & ((isFirst[first + i] ?? 0) - 1);
    into[at] = number;
  }
  return differences === 0;
}

function partAt<T>(parts: readonly T[], place: number): T {
  const part = parts[place];
  if (part === undefined) throw new RangeError(`There is no segment ${place}`);
  return part;
}

export class MergeScratch {
  readonly part = new WideNumbers();
  readonly merged = new WideNumbers();
}

/** Copies numbers to a single array type: loops over several array types are much slower. */
class WideNumbers {
  private numbers = new Uint32Array(1024);

  /** Returns a copy that is valid until the next call. */
  copyRange(ids: NarrowNumbers, from: number, to: number): Uint32Array {
    const numbers = this.room(to - from);
    numbers.set(ids.subarray(from, to));
    return numbers;
  }

  room(length: number): Uint32Array {
    if (this.numbers.length < length) this.numbers = new Uint32Array(length * 2);
    return this.numbers.subarray(0, length);
  }
}
