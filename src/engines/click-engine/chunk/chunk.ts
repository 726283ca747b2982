import { constants, crc32, deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Click } from './click';
import { ByteReader, ByteWriter, planeWidth } from './bytes';
import { ChunkVersionError, CorruptChunkError, UnknownColumnKindError } from './engine.errors';
import {
  CHUNK_DIMENSIONS,
  CHUNK_SIGNALS,
  type ChunkColumns,
  type ChunkDimension,
  columnsOfClicks,
  REDIRECT_MS,
  SLOT,
  type StoredColumn,
  VALUE_COLUMNS,
  type ValueColumn,
  VISITOR_BYTES,
} from './chunk-columns';
import {
  noValues,
  readStoredFlags,
  readStoredNumbers,
  readStoredPairs,
  readStoredValues,
  readVisitorRows,
  storeFlags,
  storeNumbers,
  storeValues,
  writeNumbers,
} from './column-kinds';

/** Format version; version 1 was never released. */
const CHUNK_VERSION = 2;
const UNCOMPRESSED = 0;
const DEFLATED = 1;
const HEAD_BYTES = 6;
/** Below this size, compression is not worth the time. */
const WORTH_DEFLATING = 400;
/** Limits memory use if a chunk declares a false length. */
const MAX_BODY_BYTES = 256 * 1024 * 1024;

/** Encodes version, compression, CRC-32, visitors and columns; equal clicks yield equal bytes. */
export function encodeChunk(clicks: readonly Click[]): Buffer {
  return encodeColumns(columnsOfClicks(clicks));
}

export function encodeColumns(columns: ChunkColumns): Buffer {
  const out = new ByteWriter();
  out.varint(columns.n);
  out.varint(columns.visitorRows.length - 1);
  out.raw(columns.visitors);
  const body = writeBody(columns);
  const deflated = body.length < WORTH_DEFLATING ? body : deflateRawSync(body, { level: 3 });
  const form = deflated.length < body.length ? DEFLATED : UNCOMPRESSED;
  if (form === DEFLATED) out.varint(body.length);
  out.raw(form === DEFLATED ? deflated : body);
  const content = out.done();
  const head = Buffer.alloc(HEAD_BYTES);
  head[0] = CHUNK_VERSION;
  head[1] = form;
  head.writeUInt32LE(crc32(content, form), 2);
  return Buffer.concat([head, content]);
}

/** @throws CorruptChunkError if the chunk is damaged or does not contain `entered` clicks */
export function decodeChunk(data: Uint8Array, entered?: number): ChunkColumns {
  const { n, visitors, reader } = openChunk(data, entered);
  const columns = readChunkBody(reader, n, visitors);
  if (reader.left > 0) throw new CorruptChunkError('data follows the last column');
  return columns;
}

export interface OpenedChunk {
  n: number;
  visitors: Uint8Array;
  reader: ByteReader;
}

export function openChunk(data: Uint8Array, entered?: number): OpenedChunk {
  const head = new ByteReader(data);
  const version = head.byte();
  if (version !== CHUNK_VERSION) throw new ChunkVersionError(version, CHUNK_VERSION);
  const form = head.byte();
  const sum = head.raw(4).readUInt32LE();
  const content = head.rest();
  if (crc32(content, form) !== sum) throw new CorruptChunkError('the checksum does not match');
  const input = new ByteReader(content);
  const n = input.varint();
  const visitors = input.raw(input.count(VISITOR_BYTES) * VISITOR_BYTES);
  const body = form === DEFLATED ? inflate(input.varint(), input.rest()) : input.rest();
  if (entered !== undefined && n !== entered) {
    throw new CorruptChunkError(`a chunk of ${n} clicks is listed with ${entered}`);
  }
  return { n, visitors, reader: new ByteReader(body) };
}

function inflate(length: number, data: Buffer): Buffer {
  if (length > MAX_BODY_BYTES) throw new CorruptChunkError('the chunk is too large');
  try {
    const body = inflateRawSync(data, {
      maxOutputLength: Math.max(length, 1),
      // Inflates into a single buffer; the default of 16 KB would create hundreds. The extra
      // byte prevents zlib from allocating another buffer at the end.
      chunkSize: Math.max(length + 1, constants.Z_MIN_CHUNK),
      finishFlush: constants.Z_FINISH,
    });
    if (body.length === length) return body;
  } catch (cause) {
    throw new CorruptChunkError('the data cannot be decompressed', cause);
  }
  throw new CorruptChunkError('the data has the wrong length');
}

/** Writes times, rows per visitor, and columns by ID; omits columns with only default values. */
export function writeBody(chunk: ChunkColumns): Buffer {
  const out = new ByteWriter();
  const { n, from, to, visitorRows } = chunk;
  const visitors = visitorRows.length - 1;
  out.varint(from);
  out.varint(to - from);
  out.planes(
    chunk.at.map((at) => at - from),
    planeWidth(to - from),
  );
  if (visitors > 1 && visitors < n) {
    const more = Uint32Array.from({ length: visitors }, (_, v) => rowCount(visitorRows, v) - 1);
    writeNumbers(out, more);
  }
  for (const column of storedColumns(chunk)) {
    const { id, kind, payload } = column;
    if (payload === null) throw new UnknownColumnKindError(column.id, column.kind);
    out.varint(id * KIND_LIMIT + kind);
    out.varint(payload.length);
    out.raw(payload);
  }
  return out.done();
}

/** Column ID and kind are stored as `id * KIND_LIMIT + kind`. */
export const KIND_LIMIT = 8;

function storedColumns(chunk: ChunkColumns): StoredColumn[] {
  const { columns, countryCodes, visitorRows } = chunk;
  return [
    ...chunk.unknown,
    storeNumbers(REDIRECT_MS, chunk.redirectMs),
    storeFlags(SLOT, chunk.slot),
    storeNumbers(CHUNK_SIGNALS, chunk.signals),
    ...CHUNK_DIMENSIONS.map((name) => {
      const codes = name === 'country' ? countryCodes : null;
      return storeValues(VALUE_COLUMNS[name].id, columns[name], visitorRows, codes);
    }),
  ]
    .filter((column) => column !== null)
    .sort((a, b) => a.id - b.id);
}

function readChunkBody(input: ByteReader, n: number, visitors: Uint8Array): ChunkColumns {
  const from = input.varint();
  const span = input.varint();
  const distinct = checkedVisitors(visitors, n);
  const at = input.planes(new Float64Array(n).fill(from), planeWidth(span));
  const visitorRows = readVisitorRows(input, n, distinct);
  const columns = readColumns(input, visitorRows, n);
  return { n, from, to: from + span, at, visitors, visitorRows, ...columns };
}

export function checkedVisitors(visitors: Uint8Array, n: number): number {
  const distinct = visitors.length / VISITOR_BYTES;
  if (distinct === 0 || distinct > n)
    throw new CorruptChunkError('the numbers of visitors and clicks do not match');
  // Identical rows take no bytes, so the chunk's size does not limit the number of rows.
  if (n > 2 ** 24) throw new CorruptChunkError('a count is too large');
  if (!ascend(visitors)) throw new CorruptChunkError('the visitors are not in order');
  return distinct;
}

type StoredColumns = Pick<
  ChunkColumns,
  'redirectMs' | 'slot' | 'signals' | 'columns' | 'countryCodes' | 'unknown'
>;

export const DIMENSION_BY_ID: ReadonlyMap<number, ChunkDimension> = new Map(
  CHUNK_DIMENSIONS.map((name) => [VALUE_COLUMNS[name].id, name]),
);

function readColumns(input: ByteReader, rows: Uint32Array, n: number): StoredColumns {
  const read = new Map<ChunkDimension, ValueColumn>();
  const unknown: StoredColumn[] = [];
  let redirectMs: Uint32Array | undefined;
  let slot: Uint8Array | undefined;
  let signals: Uint32Array | undefined;
  let countryCodes: (string | null)[] = [null];
  for (let before = -1; input.left > 0;) {
    const head = input.varint();
    const [id, kind] = [Math.floor(head / KIND_LIMIT), head % KIND_LIMIT];
    if (id <= before) throw new CorruptChunkError('the columns are not in order');
    before = id;
    const payload = input.raw(input.count(1));
    const name = DIMENSION_BY_ID.get(id);
    if (id === REDIRECT_MS) redirectMs = readStoredNumbers(kind, payload, new Uint32Array(n));
    else if (id === SLOT) slot = readStoredFlags(kind, payload, n);
    else if (id === CHUNK_SIGNALS) signals = readStoredNumbers(kind, payload, new Uint32Array(n));
    else if (name === undefined) unknown.push({ id, kind, payload });
    else if (name !== 'country') read.set(name, readStoredValues(kind, payload, rows));
    else {
      const { seconds, ...countries } = readStoredPairs(kind, payload, rows);
      read.set(name, countries);
      countryCodes = seconds;
    }
  }
  return {
    redirectMs: redirectMs ?? new Uint32Array(n),
    slot: slot ?? new Uint8Array(n),
    signals: signals ?? new Uint32Array(n),
    columns: withMissingColumns(read, n),
    countryCodes,
    unknown,
  };
}

/** Adds an empty column for each dimension missing from the chunk. */
function withMissingColumns(
  read: ReadonlyMap<ChunkDimension, ValueColumn>,
  n: number,
): Record<ChunkDimension, ValueColumn> {
  const columns = {} as Record<ChunkDimension, ValueColumn>;
  for (const name of CHUNK_DIMENSIONS) {
    const { values, ids } = read.get(name) ?? noValues(n);
    columns[name] = { values, ids };
  }
  return columns;
}

/** Whether the hashes are strictly ascending and therefore distinct. */
function ascend(visitors: Uint8Array): boolean {
  for (let next = VISITOR_BYTES; next < visitors.length; next += VISITOR_BYTES) {
    let byte = 0;
    while (
      byte < VISITOR_BYTES &&
      visitors[next + byte] === visitors[next + byte - VISITOR_BYTES]
    ) {
      byte += 1;
    }
    if (byte === VISITOR_BYTES) return false;
    const before = visitors[next + byte - VISITOR_BYTES] ?? 0;
    if ((visitors[next + byte] ?? 0) < before) return false;
  }
  return true;
}

function rowCount(visitorRows: Uint32Array, visitor: number): number {
  return (visitorRows[visitor + 1] ?? 0) - (visitorRows[visitor] ?? 0);
}
