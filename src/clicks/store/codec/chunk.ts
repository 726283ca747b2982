import { constants, crc32, deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Click } from '../click';
import { ByteReader, ByteWriter } from './bytes';
import { readBody, writeBody } from './chunk-body';
import {
  type ChunkColumns,
  ChunkVersionError,
  columnsOfClicks,
  CorruptChunkError,
  VISITOR_BYTES,
} from './chunk-columns';

/** What is written. Version 1, whose columns are a fixed list without ids, is read as well. */
const VERSION = 2;
const PLAIN = 0;
const DEFLATED = 1;
const HEAD_BYTES = 6;
/** Below this, deflate costs more time than it saves bytes. */
const WORTH_DEFLATING = 400;
/** No column of a chunk can be larger; keeps a forged length from taking the memory. */
const LARGEST_BODY = 256 * 1024 * 1024;

/**
 * Encodes clicks of one link as a self-contained chunk: version, form, CRC-32, distinct visitors,
 * then the columns, deflated where that pays. The same clicks always give the same bytes.
 */
export function encodeChunk(clicks: readonly Click[]): Buffer {
  return encodeColumns(columnsOfClicks(clicks));
}

/** As {@link encodeChunk}, for what is in columns already. */
export function encodeColumns(columns: ChunkColumns): Buffer {
  const out = new ByteWriter();
  out.varint(columns.n);
  out.varint(columns.visitorRows.length - 1);
  out.raw(columns.visitors);
  const body = writeBody(columns);
  const deflated = body.length < WORTH_DEFLATING ? body : deflateRawSync(body, { level: 3 });
  const form = deflated.length < body.length ? DEFLATED : PLAIN;
  if (form === DEFLATED) out.varint(body.length);
  out.raw(form === DEFLATED ? deflated : body);
  const content = out.done();
  const head = Buffer.alloc(HEAD_BYTES);
  head[0] = VERSION;
  head[1] = form;
  head.writeUInt32LE(crc32(content, form), 2);
  return Buffer.concat([head, content]);
}

/**
 * Reads a chunk of any version back; whatever is not exactly what was written, or does not hold as
 * many clicks as it is `entered` with, is a {@link CorruptChunkError}.
 */
export function decodeChunk(data: Uint8Array, entered?: number): ChunkColumns {
  const head = new ByteReader(data);
  const version = head.byte();
  if (version !== 1 && version !== 2) throw new ChunkVersionError(version, VERSION);
  const form = head.byte();
  const sum = head.raw(4).readUInt32LE();
  const content = head.rest();
  if (crc32(content, form) !== sum) throw new CorruptChunkError('the checksum differs');
  const input = new ByteReader(content);
  const n = input.varint();
  const visitors = input.raw(input.count(VISITOR_BYTES) * VISITOR_BYTES);
  const body = form === DEFLATED ? inflate(input.varint(), input.rest()) : input.rest();
  const reader = new ByteReader(body);
  const columns = readBody(version, reader, n, visitors);
  if (reader.left > 0) throw new CorruptChunkError('it goes on after its end');
  if (entered !== undefined && n !== entered) {
    throw new CorruptChunkError(`a chunk of ${n} clicks is entered as ${entered}`);
  }
  return columns;
}

function inflate(length: number, data: Buffer): Buffer {
  if (length > LARGEST_BODY) throw new CorruptChunkError('it is too large');
  try {
    const body = inflateRawSync(data, {
      maxOutputLength: Math.max(length, 1),
      finishFlush: constants.Z_FINISH,
    });
    if (body.length === length) return body;
  } catch (cause) {
    throw new CorruptChunkError('it cannot be inflated', cause);
  }
  throw new CorruptChunkError('its length differs');
}
