import {
  CHUNK_DIMENSIONS,
  type ChunkColumns,
  type ChunkDimension,
  type StoredColumn,
  VISITOR_BYTES,
  type ValueColumn,
} from './chunk-columns';
import {
  COLUMN_KINDS,
  noValues,
  type PairColumn,
  readStoredFlags,
  readStoredNumbers,
  readStoredPairs,
  readStoredValues,
  rowsIn,
  storeFlags,
  storeNumbers,
  storeValues,
} from './column-kinds';
import { type VisitorOrder, visitorOrder, visitorWords } from './visitor-order';

interface Merge {
  partRows: readonly Uint32Array[];
  mergedRows: Uint32Array;
  /** Copies a column from all parts, in merged row order. */
  gather: <T extends Float64Array | Uint32Array | Uint8Array>(into: T, sources: readonly T[]) => T;
}

/** Merges a link's chunks without loss, including columns from later releases. */
export function mergeChunks(parts: readonly ChunkColumns[]): ChunkColumns {
  const [first] = parts;
  if (first === undefined) throw new RangeError('There is nothing to merge');
  if (parts.length === 1) return first;
  const n = parts.reduce((sum, part) => sum + part.n, 0);
  const order = visitorOrder(parts.map(({ visitors }) => visitorWords(visitors)));
  const rows = sourceRows(parts, order, n);
  const gather: Merge['gather'] = (into, sources) => {
    for (let i = 0; i < n; i += 1) {
      into[i] = sources[rows.part[i] ?? 0]?.[rows.row[i] ?? 0] ?? 0;
    }
    return into;
  };
  const mapParts = <T>(getColumn: (part: ChunkColumns) => T): T[] => parts.map(getColumn);
  const columns = {} as Record<ChunkDimension, ValueColumn>;
  let countryCodes: (string | null)[] = [];
  for (const name of CHUNK_DIMENSIONS) {
    const paired = parts.map((part) => ({
      ...part.columns[name],
      seconds: name === 'country' ? part.countryCodes : [],
    }));
    const { values, ids, seconds } = mergeValues(paired, n, gather);
    columns[name] = { values, ids };
    if (name === 'country') countryCodes = seconds;
  }
  const visitors = distinctVisitors(parts, order);
  return {
    n,
    from: Math.min(...mapParts(({ from }) => from)),
    to: Math.max(...mapParts(({ to }) => to)),
    at: gather(
      new Float64Array(n),
      mapParts(({ at }) => at),
    ),
    redirectMs: gather(
      new Uint32Array(n),
      mapParts(({ redirectMs }) => redirectMs),
    ),
    slot: gather(
      new Uint8Array(n),
      mapParts(({ slot }) => slot),
    ),
    signals: gather(
      new Uint32Array(n),
      mapParts(({ signals }) => signals),
    ),
    ...visitors,
    columns,
    countryCodes,
    unknown: unknownColumns(parts, {
      partRows: mapParts(({ visitorRows }) => visitorRows),
      mergedRows: visitors.visitorRows,
      gather,
    }),
  };
}

/** Returns the clicks after this time in milliseconds; null if there are none. */
export function laterClicks(chunk: ChunkColumns, after: number): ChunkColumns | null {
  const [rows, starts, kept]: [number[], number[], number[]] = [[], [], []];
  for (let visitor = 0; visitor < chunk.visitorRows.length - 1; visitor += 1) {
    const first = rows.length;
    const end = chunk.visitorRows[visitor + 1] ?? 0;
    for (let row = chunk.visitorRows[visitor] ?? 0; row < end; row += 1) {
      if ((chunk.at[row] ?? 0) > after) rows.push(row);
    }
    if (rows.length === first) continue;
    starts.push(first);
    kept.push(visitor);
  }
  const n = rows.length;
  if (n === 0 || n === chunk.n) return n === 0 ? null : chunk;
  const gather: Merge['gather'] = (into, [source]) => {
    for (let i = 0; i < n; i += 1) into[i] = source?.[rows[i] ?? 0] ?? 0;
    return into;
  };
  const visitors = new Uint8Array(kept.length * VISITOR_BYTES);
  kept.forEach((visitor, i) => {
    const from = visitor * VISITOR_BYTES;
    visitors.set(chunk.visitors.subarray(from, from + VISITOR_BYTES), i * VISITOR_BYTES);
  });
  const visitorRows = Uint32Array.from([...starts, n]);
  const columns = {} as Record<ChunkDimension, ValueColumn>;
  let { countryCodes } = chunk;
  for (const name of CHUNK_DIMENSIONS) {
    const paired = { ...chunk.columns[name], seconds: name === 'country' ? countryCodes : [] };
    const { values, ids, seconds } = usedValues(paired, n, gather);
    columns[name] = { values, ids };
    if (name === 'country') countryCodes = seconds;
  }
  const at = gather(new Float64Array(n), [chunk.at]);
  const unknown = chunk.unknown.map((column) =>
    mergeStored(column.id, [column], {
      partRows: [chunk.visitorRows],
      mergedRows: visitorRows,
      gather,
    }),
  );
  return {
    n,
    from: at.reduce((a, b) => Math.min(a, b)),
    to: at.reduce((a, b) => Math.max(a, b)),
    at,
    redirectMs: gather(new Uint32Array(n), [chunk.redirectMs]),
    slot: gather(new Uint8Array(n), [chunk.slot]),
    signals: gather(new Uint32Array(n), [chunk.signals]),
    visitors,
    visitorRows,
    columns,
    countryCodes,
    unknown: unknown.filter((column) => column !== null),
  };
}

/** Omits values that no row has. */
function usedValues(column: PairColumn, n: number, gather: Merge['gather']): PairColumn {
  const ids = gather(new Uint32Array(n), [column.ids]);
  const used = [...new Set(ids)];
  const numbers = new Map(used.map((id, number) => [id, number]));
  return {
    values: used.map((id) => column.values[id] ?? null),
    seconds: column.seconds.length === 0 ? [] : used.map((id) => column.seconds[id] ?? null),
    ids: ids.map((id) => numbers.get(id) ?? 0),
  };
}

/** Merges columns from later releases; most chunks contain none. */
function unknownColumns(parts: readonly ChunkColumns[], merge: Merge): StoredColumn[] {
  const ids = new Set(parts.flatMap(({ unknown }) => unknown.map(({ id }) => id)));
  return [...ids]
    .sort((a, b) => a - b)
    .map((id) => {
      const columns = parts.map(({ unknown }) => unknown.find((column) => column.id === id));
      return mergeStored(
        id,
        columns.map((column) => column ?? null),
        merge,
      );
    })
    .filter((column) => column !== null);
}

/** Merges a column according to its kind; a part is null if it does not contain the column. */
function mergeStored(
  id: number,
  columns: readonly (StoredColumn | null)[],
  { partRows, mergedRows, gather }: Merge,
): StoredColumn | null {
  const n = rowsIn(mergedRows);
  const kinds = new Set(columns.flatMap((column) => (column === null ? [] : [column.kind])));
  const [kind = COLUMN_KINDS.NUMBERS] = kinds;
  const read = <T>(
    none: (n: number) => T,
    readRows: (column: Readable, rows: Uint32Array) => T,
  ): T[] =>
    partRows.map((rows, i) => {
      const { kind: own, payload = null } = columns[i] ?? {};
      if (own === undefined || payload === null) return none(rowsIn(rows));
      return readRows({ kind: own, payload }, rows);
    });
  if (columns.some((column) => column?.payload === null)) return { id, kind, payload: null };
  if (kind === COLUMN_KINDS.NUMBERS) {
    const none = (count: number) => new Float64Array(count);
    const parts = read(none, ({ kind: own, payload }, rows) =>
      readStoredNumbers(own, payload, none(rowsIn(rows))),
    );
    return storeNumbers(id, gather(new Float64Array(n), parts));
  }
  if (kind === COLUMN_KINDS.FLAGS) {
    const parts = read(
      (count) => new Uint8Array(count),
      ({ kind: own, payload }, rows) => readStoredFlags(own, payload, rowsIn(rows)),
    );
    return storeFlags(id, gather(new Uint8Array(n), parts));
  }
  if (kind === COLUMN_KINDS.PAIRS) {
    const parts = read(noValues, ({ kind: own, payload }, rows) =>
      readStoredPairs(own, payload, rows),
    );
    const { seconds, ...column } = mergeValues(parts, n, gather);
    return storeValues(id, column, mergedRows, seconds);
  }
  if (kind === COLUMN_KINDS.VALUES || kind === COLUMN_KINDS.CONSTANT) {
    const parts = read(noValues, ({ kind: own, payload }, rows) => ({
      ...readStoredValues(own, payload, rows),
      seconds: [],
    }));
    return storeValues(id, mergeValues(parts, n, gather), mergedRows);
  }
  return { id, kind, payload: null };
}

interface Readable {
  kind: number;
  payload: Uint8Array;
}

function mergeValues(parts: readonly PairColumn[], n: number, gather: Merge['gather']): PairColumn {
  const numbers = new Map<string, number>();
  const values: (string | null)[] = [];
  const seconds: (string | null)[] = [];
  const renumbered = parts.map((part) => {
    const ids = Uint32Array.from(part.values, (value, id) => {
      const second = part.seconds[id] ?? null;
      const key = JSON.stringify([value, second]);
      const known = numbers.get(key);
      if (known !== undefined) return known;
      numbers.set(key, values.length);
      seconds.push(second);
      return values.push(value) - 1;
    });
    return part.ids.map((id) => ids[id] ?? 0);
  });
  return { values, ids: gather(new Uint32Array(n), renumbered), seconds };
}

function sourceRows(parts: readonly ChunkColumns[], order: VisitorOrder, n: number) {
  const part = new Uint32Array(n);
  const row = new Uint32Array(n);
  let next = 0;
  forEachVisitor(parts, order, (partIndex, visitor) => {
    const starts = parts[partIndex]?.visitorRows ?? new Uint32Array();
    const end = starts[visitor + 1] ?? 0;
    for (let source = starts[visitor] ?? 0; source < end; source += 1) {
      part[next] = partIndex;
      row[next] = source;
      next += 1;
    }
  });
  return { part, row };
}

function distinctVisitors(parts: readonly ChunkColumns[], order: VisitorOrder) {
  const visitors = new Uint8Array(order.distinct * VISITOR_BYTES);
  const visitorRows = new Uint32Array(order.distinct + 1);
  forEachVisitor(parts, order, (partIndex, visitor, number) => {
    const part = parts[partIndex];
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

function forEachVisitor(
  parts: readonly ChunkColumns[],
  { places, numbers }: VisitorOrder,
  hear: (part: number, visitor: number, number: number) => void,
): void {
  const partOf = new Uint32Array(places.length);
  const firsts: number[] = [];
  let first = 0;
  parts.forEach(({ visitorRows }, part) => {
    firsts.push(first);
    partOf.fill(part, first, (first += visitorRows.length - 1));
  });
  places.forEach((place, entry) => {
    const part = partOf[place] ?? 0;
    hear(part, place - (firsts[part] ?? 0), numbers[entry] ?? 0);
  });
}
