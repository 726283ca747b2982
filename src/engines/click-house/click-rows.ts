import {
  type ChunkColumns,
  VISITOR_BYTES,
  type ValueColumn,
} from '../click-engine/chunk/chunk-columns';
import { TEXT_COLUMNS } from './click-table';

const LINK_BYTES = 24;
/** Bytes of node, batch, row, link, visitor, time, redirect time, slot and signals. */
const FIXED_BYTES = 4 + 8 + 4 + LINK_BYTES + VISITOR_BYTES + 8 + 4 + 1 + 4;
const TEXT_FIELDS = Object.values(TEXT_COLUMNS);

export interface LinkClicks {
  readonly linkId: string;
  readonly chunks: readonly ChunkColumns[];
  /** Rows up to this time in milliseconds are numbered, but omitted. */
  readonly since?: number;
}

/** A row's node and batch; with the row number, they identify the row in a repeated batch. */
export interface RowOrigin {
  /** Eight hexadecimal digits. */
  readonly node: string;
  readonly number: number;
}

export function encodeClickRows(
  { node, number }: RowOrigin,
  links: readonly LinkClicks[],
  known: ReadonlySet<number>,
): Buffer {
  const head = Buffer.alloc(16);
  head.writeUInt32LE(Number.parseInt(node, 16), 0);
  head.writeBigUInt64LE(BigInt(number), 4);
  const parts: Buffer[] = [];
  let row = 0;
  for (const { linkId, chunks, since = -1 } of links) {
    for (const chunk of chunks) {
      const isOmitted = (number: number, at: number) => at <= since || known.has(number);
      parts.push(chunkRows(head, row, linkId, chunk, isOmitted));
      row += chunk.n;
    }
  }
  return Buffer.concat(parts);
}

function chunkRows(
  head: Buffer,
  firstRow: number,
  linkId: string,
  chunk: ChunkColumns,
  isOmitted: (row: number, at: number) => boolean,
): Buffer {
  const texts = [
    ...TEXT_FIELDS.map((name) => encodedTexts(chunk.columns[name])),
    encodedTexts({ values: chunk.countryCodes, ids: chunk.columns.country.ids }),
  ];
  let bytes = chunk.n * FIXED_BYTES;
  for (const { values, ids } of texts) for (const id of ids) bytes += values[id]?.length ?? 0;
  const rows = Buffer.allocUnsafe(bytes);
  const { buffer, byteOffset, byteLength } = chunk.visitors;
  const visitors = new DataView(buffer, byteOffset, byteLength);
  let at = 0;
  for (let visitor = 0; visitor < chunk.visitorRows.length - 1; visitor += 1) {
    const end = chunk.visitorRows[visitor + 1] ?? 0;
    for (let row = chunk.visitorRows[visitor] ?? 0; row < end; row += 1) {
      if (isOmitted(firstRow + row, chunk.at[row] ?? 0)) continue;
      at += head.copy(rows, at, 0, 12);
      at = rows.writeUInt32LE(firstRow + row, at);
      at += rows.write(linkId, at, LINK_BYTES, 'latin1');
      const from = visitor * VISITOR_BYTES;
      at = rows.writeBigUInt64LE(visitors.getBigUint64(from), at);
      at = rows.writeUInt32LE(visitors.getUint32(from + 8), at);
      at = rows.writeBigUInt64LE(BigInt(chunk.at[row] ?? 0), at);
      at = rows.writeUInt32LE(chunk.redirectMs[row] ?? 0, at);
      at = rows.writeUInt8(chunk.slot[row] ?? 0, at);
      at = rows.writeUInt32LE(chunk.signals[row] ?? 0, at);
      for (const { values, ids } of texts) at += values[ids[row] ?? 0]?.copy(rows, at) ?? 0;
    }
  }
  return rows.subarray(0, at);
}

interface EncodedTexts {
  readonly values: readonly Buffer[];
  readonly ids: Uint32Array;
}

function encodedTexts({ values, ids }: ValueColumn): EncodedTexts {
  return {
    ids,
    values: values.map((value) => {
      const text = Buffer.from(value ?? '');
      return Buffer.concat([lengthBytes(text.length), text]);
    }),
  };
}

function lengthBytes(length: number): Buffer {
  const bytes: number[] = [];
  let left = length;
  for (; left >= 128; left >>>= 7) bytes.push((left & 127) | 128);
  return Buffer.from([...bytes, left]);
}
