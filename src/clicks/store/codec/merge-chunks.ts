import {
  CHUNK_DIMENSIONS,
  type ChunkColumns,
  type ChunkDimension,
  VISITOR_BYTES,
  type ValueColumn,
} from './chunk-columns';
import { type VisitorOrder, visitorOrder, wordsOf } from './visitor-order';

/** The clicks of several chunks of one link as one; nothing is lost, counted twice or changed. */
export function mergeChunks(parts: readonly ChunkColumns[]): ChunkColumns {
  const [first] = parts;
  if (first === undefined) throw new RangeError('There is nothing to merge');
  if (parts.length === 1) return first;
  const n = parts.reduce((sum, part) => sum + part.n, 0);
  const order = visitorOrder(parts.map(({ visitors }) => wordsOf(visitors)));
  const rows = sourceRows(parts, order, n);
  const gather = <T extends Float64Array | Uint32Array | Uint8Array>(
    into: T,
    columnOf: (part: ChunkColumns) => T,
  ): T => {
    const sources = parts.map(columnOf);
    for (let i = 0; i < n; i += 1) {
      into[i] = sources[rows.part[i] ?? 0]?.[rows.row[i] ?? 0] ?? 0;
    }
    return into;
  };
  const columns = {} as Record<ChunkDimension, ValueColumn>;
  let countryCodes: (string | null)[] = [];
  for (const name of CHUNK_DIMENSIONS) {
    const union = unionOf(parts, name);
    const ids = gather(new Uint32Array(n), (part) => part.columns[name].ids);
    for (let i = 0; i < n; i += 1) ids[i] = union.ids[rows.part[i] ?? 0]?.[ids[i] ?? 0] ?? 0;
    columns[name] = { values: union.values, ids };
    if (name === 'country') countryCodes = union.codes;
  }
  return {
    n,
    from: Math.min(...parts.map((part) => part.from)),
    to: Math.max(...parts.map((part) => part.to)),
    at: gather(new Float64Array(n), (part) => part.at),
    redirectMs: gather(new Uint32Array(n), (part) => part.redirectMs),
    slot: gather(new Uint8Array(n), (part) => part.slot),
    ...distinctVisitors(parts, order),
    columns,
    countryCodes,
  };
}

function sourceRows(parts: readonly ChunkColumns[], order: VisitorOrder, n: number) {
  const part = new Uint32Array(n);
  const row = new Uint32Array(n);
  let next = 0;
  order.list.forEach((list, entry) => {
    const starts = parts[list]?.visitorRows ?? new Uint32Array();
    const visitor = order.index[entry] ?? 0;
    const end = starts[visitor + 1] ?? 0;
    for (let source = starts[visitor] ?? 0; source < end; source += 1) {
      part[next] = list;
      row[next] = source;
      next += 1;
    }
  });
  return { part, row };
}

function distinctVisitors(parts: readonly ChunkColumns[], order: VisitorOrder) {
  const visitors = new Uint8Array(order.distinct * VISITOR_BYTES);
  const visitorRows = new Uint32Array(order.distinct + 1);
  order.list.forEach((list, entry) => {
    const part = parts[list];
    const visitor = order.index[entry] ?? 0;
    const number = order.number[entry] ?? 0;
    if (part === undefined) return;
    const byte = visitor * VISITOR_BYTES;
    visitors.set(part.visitors.subarray(byte, byte + VISITOR_BYTES), (number - 1) * VISITOR_BYTES);
    const rows = (part.visitorRows[visitor + 1] ?? 0) - (part.visitorRows[visitor] ?? 0);
    visitorRows[number] = (visitorRows[number] ?? 0) + rows;
  });
  for (let v = 1; v < visitorRows.length; v += 1) {
    visitorRows[v] = (visitorRows[v] ?? 0) + (visitorRows[v - 1] ?? 0);
  }
  return { visitors, visitorRows };
}

/** One dictionary for all parts; `ids[part][id there]` is the id in it. */
function unionOf(parts: readonly ChunkColumns[], name: ChunkDimension) {
  const numbers = new Map<string, number>();
  const values: (string | null)[] = [];
  const codes: (string | null)[] = [];
  const ids = parts.map((part) =>
    Uint32Array.from(part.columns[name].values, (value, id) => {
      const code = name === 'country' ? (part.countryCodes[id] ?? null) : null;
      const key = JSON.stringify([value, code]);
      const known = numbers.get(key);
      if (known !== undefined) return known;
      numbers.set(key, values.length);
      values.push(value);
      codes.push(code);
      return values.length - 1;
    }),
  );
  return { values, codes, ids };
}
