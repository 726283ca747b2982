import {
  CHUNK_DIMENSIONS,
  type ChunkColumns,
  VALUE_COLUMNS,
  type ValueColumn,
} from '../../engines/click-engine/chunk/chunk-columns';

/** Columns whose values visitors can choose; all others have a fixed set of values. */
const TYPED = CHUNK_DIMENSIONS.filter((name) => VALUE_COLUMNS[name].typed);
/** Limit on the bytes of distinct values from visitors. It is a base plus an amount per click. */
const BASE_BYTES = 16 * 1024;
const BYTES_A_CLICK = 144;
/** Additional bytes per value, which store the length of its text. */
const OVERHEAD_BYTES = 2;
/** Replaces values that exceed the limit. */
export const OTHER_VALUES = '(other)';

interface TypedValue {
  column: number;
  id: number;
  value: string;
  rows: number;
  bytes: number;
}

/** Keeps the most frequent values up to the limit, and replaces all others with `(other)`. */
export function boundTypedValues(chunk: ChunkColumns): ChunkColumns {
  const budget = BASE_BYTES + BYTES_A_CLICK * chunk.n;
  if (fitsSurely(chunk, budget)) return chunk;
  const values = toTypedValues(chunk);
  if (values.reduce((sum, { bytes }) => sum + bytes, 0) <= budget) return chunk;
  const dropped = TYPED.map(() => new Set<number>());
  let spent = TYPED.length * valueBytes(OTHER_VALUES);
  for (const { column, id, bytes } of values.sort(byWorth)) {
    spent += bytes;
    if (spent > budget) dropped[column]?.add(id);
  }
  const columns = { ...chunk.columns };
  TYPED.forEach((name, column) => {
    const ids = dropped[column];
    if (ids !== undefined && ids.size > 0) columns[name] = withoutValues(columns[name], ids);
  });
  return { ...chunk, columns };
}

/** Estimates the size: a UTF-16 code unit takes at most three bytes. */
function fitsSurely(chunk: ChunkColumns, budget: number): boolean {
  let most = 0;
  for (const name of TYPED) {
    for (const value of chunk.columns[name].values) {
      most += (value?.length ?? 0) * 3 + OVERHEAD_BYTES;
    }
  }
  return most <= budget;
}

function toTypedValues(chunk: ChunkColumns): TypedValue[] {
  return TYPED.flatMap((name, column) => {
    const rows = rowsById(chunk.columns[name]);
    return chunk.columns[name].values.flatMap((value, id) =>
      value === null || value === OTHER_VALUES
        ? []
        : [{ column, id, value, rows: rows[id] ?? 0, bytes: valueBytes(value) }],
    );
  });
}

function rowsById({ values, ids }: ValueColumn): Uint32Array {
  const rows = new Uint32Array(values.length);
  for (const id of ids) rows[id] = (rows[id] ?? 0) + 1;
  return rows;
}

/** Sorts by most clicks, then by length; the other criteria only make the order stable. */
function byWorth(a: TypedValue, b: TypedValue): number {
  return (
    b.rows - a.rows || a.bytes - b.bytes || a.column - b.column || (a.value < b.value ? -1 : 1)
  );
}

function valueBytes(value: string): number {
  return Buffer.byteLength(value) + OVERHEAD_BYTES;
}

function withoutValues({ values, ids }: ValueColumn, dropped: ReadonlySet<number>): ValueColumn {
  const kept: (string | null)[] = [];
  const numbers = new Uint32Array(values.length);
  let otherId = -1;
  values.forEach((value, id) => {
    if (!dropped.has(id) && value !== OTHER_VALUES) {
      numbers[id] = kept.push(value) - 1;
      return;
    }
    if (otherId === -1) otherId = kept.push(OTHER_VALUES) - 1;
    numbers[id] = otherId;
  });
  return { values: kept, ids: ids.map((id) => numbers[id] ?? 0) };
}
