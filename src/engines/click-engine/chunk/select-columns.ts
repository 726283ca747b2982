import { type ByteReader, planeWidth } from './bytes';
import { checkedVisitors, DIMENSION_BY_ID, KIND_LIMIT, openChunk } from './chunk';
import { CorruptChunkError } from './engine.errors';
import { CHUNK_SIGNALS, REDIRECT_MS, type SelectedColumn } from './chunk-columns';
import { COLUMN_KINDS, readStoredNumbers, readVisitorRows } from './column-kinds';
import { derivedColumn, DERIVED_COLUMNS, type ReadableColumn } from './derived-columns';
import { largestNumber, type NarrowNumbers } from './narrow-numbers';
import type { TextTable } from './text-table';

export interface ColumnSelection {
  at: boolean;
  redirectMs: boolean;
  values: ReadonlySet<ReadableColumn>;
}

export interface SelectedColumns {
  n: number;
  from: number;
  to: number;
  visitors: Uint8Array;
  visitorRows: Uint32Array;
  /** Row times, in milliseconds after `from`. */
  offsets: Uint32Array | Float64Array | null;
  redirectMs: Uint32Array | null;
  columns: Map<ReadableColumn, SelectedColumn>;
}

/** Decodes only the selected columns; a column that is not stored has no values. */
export function selectColumns(
  data: Uint8Array,
  wanted: ColumnSelection,
  texts: TextTable,
  entered?: number,
): SelectedColumns {
  const { n, visitors, reader } = openChunk(data, entered);
  const from = reader.varint();
  const span = reader.varint();
  const distinct = checkedVisitors(visitors, n);
  const offsets = readOffsets(reader, n, planeWidth(span), wanted.at);
  const visitorRows = readVisitorRows(reader, n, distinct);
  const selected: SelectedColumns = {
    n,
    from,
    to: from + span,
    visitors,
    visitorRows,
    offsets,
    redirectMs: wanted.redirectMs ? new Uint32Array(n) : null,
    columns: new Map(),
  };
  const derived = DERIVED_COLUMNS.filter((name) => wanted.values.has(name));
  let signals: Uint32Array | null = null;
  for (let before = -1; reader.left > 0;) {
    const head = reader.varint();
    const [id, kind] = [Math.floor(head / KIND_LIMIT), head % KIND_LIMIT];
    if (id <= before) throw new CorruptChunkError('the columns are not in order');
    before = id;
    const length = reader.count(1);
    const name = DIMENSION_BY_ID.get(id);
    if (id === REDIRECT_MS && selected.redirectMs !== null) {
      readStoredNumbers(kind, reader.raw(length), selected.redirectMs);
    } else if (id === CHUNK_SIGNALS && derived.length > 0) {
      signals = readStoredNumbers(kind, reader.raw(length), new Uint32Array(n));
    } else if (name !== undefined && (wanted.values.has(name) || isForClass(name, wanted))) {
      selected.columns.set(name, readColumn(kind, reader.part(length), visitorRows, texts));
    } else reader.skip(length);
  }
  for (const name of derived) {
    const bots = selected.columns.get('botName');
    selected.columns.set(name, derivedColumn(name, { bots, signals, visitorRows }, texts));
  }
  for (const name of wanted.values) {
    if (!selected.columns.has(name)) selected.columns.set(name, NO_VALUE);
  }
  return selected;
}

/** `botName` is also needed to compute `audience`. */
function isForClass(name: ReadableColumn, wanted: ColumnSelection): boolean {
  return name === 'botName' && wanted.values.has('audience');
}

const NO_VALUE: SelectedColumn = {
  values: new Uint32Array(1),
  seconds: null,
  ids: new Uint8Array(0),
  perVisitor: true,
};

function oneValue(values: Uint32Array, seconds: Uint32Array | null): SelectedColumn {
  return { values, seconds, ids: NO_VALUE.ids, perVisitor: true };
}

function readOffsets(
  input: ByteReader,
  n: number,
  width: number,
  wanted: boolean,
): Uint32Array | Float64Array | null {
  if (!wanted) {
    input.raw(n * width);
    return null;
  }
  if (width > 4) return input.planes(new Float64Array(n), width);
  return readPlanes(input, new Uint32Array(n), width);
}

/** Like `ByteReader.planes`, but with a specialised loop for each width. */
function readPlanes<T extends Uint16Array | Uint32Array>(
  input: ByteReader,
  into: T,
  width: number,
): T {
  if (width === 0) return into;
  const n = into.length;
  const planes = Array.from({ length: width }, () => input.raw(n));
  const [a, b, c, d] = planes;
  if (a === undefined) return into;
  if (b === undefined) for (let i = 0; i < n; i += 1) into[i] = a[i] ?? 0;
  else if (c === undefined)
    for (let i = 0; i < n; i += 1) into[i] = (a[i] ?? 0) | ((b[i] ?? 0) << 8);
  else if (d === undefined) {
    for (let i = 0; i < n; i += 1) into[i] = (a[i] ?? 0) | ((b[i] ?? 0) << 8) | ((c[i] ?? 0) << 16);
  } else {
    for (let i = 0; i < n; i += 1) {
      into[i] = (a[i] ?? 0) | ((b[i] ?? 0) << 8) | ((c[i] ?? 0) << 16) | ((d[i] ?? 0) << 24);
    }
  }
  return into;
}

function readColumn(
  kind: number,
  input: ByteReader,
  rows: Uint32Array,
  texts: TextTable,
): SelectedColumn {
  if (kind === COLUMN_KINDS.CONSTANT) {
    const values = new Uint32Array(1);
    values[0] = input.restIn(texts);
    return oneValue(values, null);
  }
  if (kind !== COLUMN_KINDS.VALUES && kind !== COLUMN_KINDS.PAIRS) {
    throw new CorruptChunkError(`a column has the unexpected kind ${kind}`);
  }
  const head = input.varint();
  const size = Math.floor(head / 2);
  if (size === 0 || size > input.left) throw new CorruptChunkError('a dictionary is invalid');
  const values = readTexts(input, size, texts);
  const seconds = kind === COLUMN_KINDS.PAIRS ? readTexts(input, size, texts) : null;
  const visitors = rows.length - 1;
  const perVisitor = head % 2 === 1;
  const ids = readIds(input, perVisitor ? visitors : (rows[visitors] ?? 0), size);
  if (input.left > 0) throw new CorruptChunkError('a column is longer than its values');
  return size === 1
    ? oneValue(values, seconds)
    : { values, seconds, ids, perVisitor: perVisitor || visitors === ids.length };
}

function readTexts(input: ByteReader, size: number, texts: TextTable): Uint32Array {
  const numbers = new Uint32Array(size);
  for (let i = 0; i < size; i += 1) numbers[i] = input.textIn(texts);
  return numbers;
}

function readIds(input: ByteReader, count: number, size: number): NarrowNumbers {
  const width = planeWidth(size - 1);
  const ids =
    width === 1
      ? input.copy(count)
      : width === 2
        ? readPlanes(input, new Uint16Array(count), 2)
        : input.planes(new Uint32Array(width === 0 ? 0 : count), width);
  if (largestNumber(ids) >= size) throw new CorruptChunkError('a value is not in its dictionary');
  return ids;
}
