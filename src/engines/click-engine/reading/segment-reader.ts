import type { ReadableColumn } from '../chunk/derived-columns';
import { largestNumber, narrowNumbers, type NarrowNumbers } from '../chunk/narrow-numbers';
import type { SelectedColumn } from '../chunk/chunk-columns';
import { selectColumns, type SelectedColumns } from '../chunk/select-columns';
import { TextTable } from '../chunk/text-table';
import { visitorWords } from '../chunk/visitor-order';
import { NO_REDIRECT_MS } from '../chunk/click';
import { DIMENSIONS, type StoredDimension } from '../query/statistics-query';
import {
  highParts,
  renumbered,
  type Segment,
  type SegmentColumn,
  type SegmentTimes,
} from './segment';
import { mergeSegments } from './segment-merge';
import { type NumberedColumn, SMALL_CHUNK, SmallChunks } from './small-chunks';

export type ReadColumn = StoredDimension | 'country_code';

export interface ReadSelection {
  readonly at: boolean;
  readonly redirectMs: boolean;
  readonly values: readonly ReadColumn[];
}

export interface SourceChunk {
  readonly source: number;
  readonly n: number;
  readonly data: Uint8Array;
}

/** Figures for a source that are available without scanning its rows. */
export interface SourceFigures {
  readonly source: number;
  readonly n: number;
  readonly from: number;
  readonly to: number;
  /** Sum of the redirect times for all clicks that have one. */
  readonly redirectMs: number;
  readonly untimed: number;
  readonly last: { browser: string | null; os: string | null; country: string | null };
}

/** A segment with the value lists to which its numbers refer. */
export interface ReadSegment {
  segment: Segment;
  values: Partial<Record<ReadColumn, (string | null)[]>>;
  figures: SourceFigures[];
}

const OF_LAST = ['browser', 'os', 'country'] as const;

class ValueList {
  readonly values: (string | null)[] = [];
  /** Value number plus 1 for each string number; 0 if the string has not occurred. */
  private numbers = new Uint32Array(64);

  constructor(private readonly texts: TextTable) {}

  numberTexts(texts: Uint32Array): Uint32Array {
    if (this.texts.size > this.numbers.length) {
      const longer = new Uint32Array(this.texts.size * 2);
      longer.set(this.numbers);
      this.numbers = longer;
    }
    const numbers = new Uint32Array(texts.length);
    for (let i = 0; i < texts.length; i += 1) {
      const text = texts[i] ?? 0;
      if (this.numbers[text] === 0) this.numbers[text] = this.values.push(this.texts.text(text));
      numbers[i] = (this.numbers[text] ?? 0) - 1;
    }
    return numbers;
  }
}

export class SegmentReader {
  private readonly texts = new TextTable();
  private readonly lists = new Map<ReadColumn, ValueList>();
  private readonly wanted: ReadonlySet<ReadableColumn>;

  /** @param small chunks with at most this many clicks are collected and sorted together */
  constructor(
    private readonly selection: ReadSelection,
    private readonly small = SMALL_CHUNK,
  ) {
    const names = new Set<ReadColumn>([...selection.values, ...OF_LAST]);
    this.wanted = new Set(
      [...names].map((name) => (name === 'country_code' ? 'country' : DIMENSIONS[name].column)),
    );
    for (const name of selection.values) this.lists.set(name, new ValueList(this.texts));
  }

  read(chunks: Iterable<SourceChunk>): ReadSegment {
    const segments: Segment[] = [];
    const gathered = new SmallChunks(this.selection.values, this.selection);
    const figures: SourceFigures[] = [];
    for (const { source, n, data } of chunks) {
      // Times are always read, because they determine the last click.
      const wanted = { at: true, redirectMs: true, values: this.wanted };
      const chunk = selectColumns(data, wanted, this.texts, n);
      if (n <= this.small) gathered.add(chunk, source, this.numberedColumns(chunk));
      else segments.push(this.toSegment(chunk, source));
      figures.push(chunkFigures(chunk, source, this.texts));
    }
    const together = gathered.segment();
    if (together !== null) segments.push(together);
    return {
      segment: mergeSegments(segments),
      values: Object.fromEntries([...this.lists].map(([name, list]) => [name, list.values])),
      figures,
    };
  }

  private toSegment(chunk: SelectedColumns, source: number): Segment {
    const { n, visitors, visitorRows, redirectMs } = chunk;
    const count = visitorRows.length - 1;
    const columns = this.numberedColumns(chunk).map((column) => segmentColumn(column, count));
    return {
      n,
      visitors: visitorWords(visitors),
      visitorRows,
      sources: constant(source, count),
      at: this.selection.at ? chunkTimes(chunk) : null,
      redirectMs: this.selection.redirectMs ? narrowed(redirectMs ?? new Uint32Array(n)) : null,
      columns: Object.fromEntries(
        this.selection.values.map((name, place) => [name, columns[place]]),
      ),
    };
  }

  private numberedColumns(chunk: SelectedColumns): NumberedColumn[] {
    return this.selection.values.map((name) => {
      const ofCode = name === 'country_code';
      const column = chunk.columns.get(ofCode ? 'country' : DIMENSIONS[name].column);
      const list = this.lists.get(name);
      if (column === undefined || list === undefined) throw new RangeError(`No column ${name}`);
      const numbers = list.numberTexts(ofCode ? columnSeconds(column) : column.values);
      return { ids: column.ids, perVisitor: column.perVisitor, numbers };
    });
  }
}

function segmentColumn(
  { ids, perVisitor, numbers }: NumberedColumn,
  visitors: number,
): SegmentColumn {
  if (ids.length === 0) return constant(numbers[0] ?? 0, visitors);
  return { ids: renumbered(ids, numbers), perVisitor };
}

function columnSeconds({ values, seconds }: SelectedColumn): Uint32Array {
  return seconds ?? new Uint32Array(values.length);
}

function constant(number: number, count: number): SegmentColumn {
  return { ids: narrowNumbers(count, number).fill(number), perVisitor: true };
}

function narrowed(numbers: Uint32Array): NarrowNumbers {
  const narrow = narrowNumbers(numbers.length, largestNumber(numbers));
  narrow.set(numbers);
  return narrow;
}

function chunkTimes({ from, to, offsets }: SelectedColumns): SegmentTimes {
  if (offsets === null) throw new RangeError('No times');
  const span = to - from;
  if (offsets instanceof Uint32Array) return { base: from, span, low: offsets, high: null };
  const high = highParts(offsets.length, span);
  const low = new Uint32Array(offsets.length);
  for (let i = 0; i < offsets.length; i += 1) {
    const offset = offsets[i] ?? 0;
    if (high !== null) high[i] = Math.floor(offset / 2 ** 32);
    low[i] = offset % 2 ** 32;
  }
  return { base: from, span, low, high };
}

function chunkFigures(chunk: SelectedColumns, source: number, texts: TextTable): SourceFigures {
  const { n, from, to, visitorRows, offsets, columns } = chunk;
  const row = offsets?.lastIndexOf(to - from) ?? -1;
  const visitor = findVisitor(row, visitorRows);
  const value = (name: ReadableColumn): string | null => {
    const column = columns.get(name);
    const id = column?.ids[column.perVisitor ? visitor : row] ?? 0;
    return texts.text(column?.values[id] ?? 0);
  };
  const { redirectMs, untimed } = redirectTimes(chunk.redirectMs ?? new Uint32Array());
  const last = { browser: value('browser'), os: value('os'), country: value('country') };
  return { source, n, from, to, redirectMs, untimed, last };
}

function findVisitor(row: number, visitorRows: Uint32Array): number {
  let visitor = 0;
  let end = visitorRows.length - 1;
  while (end - visitor > 1) {
    const middle = (visitor + end) >> 1;
    if ((visitorRows[middle] ?? 0) <= row) visitor = middle;
    else end = middle;
  }
  return visitor;
}

function redirectTimes(times: Uint32Array): Pick<SourceFigures, 'redirectMs' | 'untimed'> {
  let [redirectMs, untimed] = [0, 0];
  for (let i = 0; i < times.length; i += 1) {
    const time = times[i] ?? 0;
    if (time === NO_REDIRECT_MS) untimed += 1;
    else redirectMs += time;
  }
  return { redirectMs, untimed };
}
