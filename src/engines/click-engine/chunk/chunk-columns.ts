/**
 * A link's clicks are stored in chunks, and each chunk stores its clicks in columns.
 *
 * To add a dimension, add a line to VALUE_COLUMNS and a field to Click; existing chunks have no
 * value for it. Releases preserve columns that they do not know: each column stores its ID,
 * length and kind, and the kind is enough to reorder rows. Never reuse an ID.
 */
import type { Click } from './click';
import type { NarrowNumbers } from './narrow-numbers';

/** IDs of number and flag columns. ID 14 is reserved for User-Agent numbers. */
export const REDIRECT_MS = 1;
export const SLOT = 2;
export const CHUNK_SIGNALS = 15;

/** IDs of stored columns; `typed` columns hold visitors' values, so their size is limited. */
export const VALUE_COLUMNS = {
  browser: { id: 3, typed: false },
  os: { id: 4, typed: false },
  device: { id: 5, typed: false },
  country: { id: 6, typed: false },
  city: { id: 7, typed: false },
  referrer: { id: 8, typed: true },
  utmSource: { id: 9, typed: true },
  utmMedium: { id: 10, typed: true },
  utmCampaign: { id: 11, typed: true },
  botName: { id: 12, typed: true },
  variant: { id: 13, typed: true },
} as const satisfies Partial<Record<keyof Click, { id: number; typed: boolean }>>;

export type ChunkDimension = keyof typeof VALUE_COLUMNS;

export const CHUNK_DIMENSIONS = Object.keys(VALUE_COLUMNS) as ChunkDimension[];

export const VISITOR_BYTES = 12;

/** A row's value is `values[ids[row]]`. */
export interface ValueColumn {
  values: (string | null)[];
  ids: Uint32Array;
}

/** An encoded column; columns from later releases are preserved based on their kind. */
export interface StoredColumn {
  id: number;
  kind: number;
  /** Null for an unknown kind in a merged chunk, which can be counted but not stored. */
  payload: Uint8Array | null;
}

/** A stored column with a number per visitor or per row. */
export interface SelectedColumn {
  values: Uint32Array;
  /** Indexes of the second strings in a column of string pairs; otherwise null. */
  seconds: Uint32Array | null;
  ids: NarrowNumbers;
  perVisitor: boolean;
}

/** Rows grouped by visitor, in the byte order of hashes, so merging does not need a visitor table. */
export interface ChunkColumns {
  n: number;
  /** Times of the first and last click in milliseconds. */
  from: number;
  to: number;
  at: Float64Array;
  redirectMs: Uint32Array;
  /** 1 if the redirect took one of the link's click slots (max_clicks), else 0. */
  slot: Uint8Array;
  /** Bits defined in SIGNALS (click.ts). */
  signals: Uint32Array;
  /** Distinct visitor hashes in ascending order, 12 bytes each. */
  visitors: Uint8Array;
  /** Visitor `v`'s rows start at `visitorRows[v]` and end before `visitorRows[v + 1]`. */
  visitorRows: Uint32Array;
  columns: Record<ChunkDimension, ValueColumn>;
  countryCodes: (string | null)[];
  /** Columns from later releases, sorted by ID; usually empty. */
  unknown: readonly StoredColumn[];
}

const VISITOR = /^[0-9a-f]{24}$/;
const MAX_NUMBER = 2 ** 32 - 1;

/** Groups the clicks by visitor; throws {@link RangeError} if a click is invalid. */
export function columnsOfClicks(clicks: readonly Click[]): ChunkColumns {
  const n = clicks.length;
  if (n === 0) throw new RangeError('A chunk must contain at least one click');
  clicks.forEach(check);
  const rows = n === 1 ? clicks : [...clicks].sort(byVisitorAndTime);
  // Plain loops are several times faster than `Array.from`, and this runs for every click.
  const starts: number[] = [];
  const at = new Float64Array(n);
  const redirectMs = new Uint32Array(n);
  const slot = new Uint8Array(n);
  const signals = new Uint32Array(n);
  let [from, to] = [Number.POSITIVE_INFINITY, 0];
  let visitors = '';
  let previous = '';
  rows.forEach((row, i) => {
    if (row.visitor !== previous) {
      starts.push(i);
      visitors += row.visitor;
      previous = row.visitor;
    }
    at[i] = row.at;
    redirectMs[i] = row.redirectMs;
    slot[i] = row.slot ? 1 : 0;
    signals[i] = row.signals;
    if (row.at < from) from = row.at;
    if (row.at > to) to = row.at;
  });
  starts.push(n);
  const zeros = new Uint32Array(n);
  const countries = countryDictionary(rows, zeros);
  const columns = {} as Record<ChunkDimension, ValueColumn>;
  for (const name of CHUNK_DIMENSIONS) {
    columns[name] = name === 'country' ? countries.column : dictionary(rows, name, zeros);
  }
  return {
    n,
    from,
    to,
    at,
    redirectMs,
    slot,
    signals,
    visitors: Buffer.from(visitors, 'hex'),
    visitorRows: new Uint32Array(starts),
    columns,
    countryCodes: countries.codes,
    unknown: [],
  };
}

function check(click: Click): void {
  if (!Number.isSafeInteger(click.at) || click.at < 0) throw new RangeError('Impossible time');
  if (!isUint32(click.redirectMs)) throw new RangeError('The redirect time is invalid');
  if (!isUint32(click.signals)) throw new RangeError('Impossible signals');
  if (!VISITOR.test(click.visitor)) {
    throw new RangeError(`A visitor is ${VISITOR_BYTES} bytes in lower-case hexadecimal`);
  }
}

function isUint32(number: number): boolean {
  return Number.isInteger(number) && number >= 0 && number <= MAX_NUMBER;
}

function byVisitorAndTime(a: Click, b: Click): number {
  if (a.visitor !== b.visitor) return a.visitor < b.visitor ? -1 : 1;
  return a.at - b.at;
}

/** @param zeros array shared by all columns with a single value, because most have only one */
function dictionary(
  rows: readonly Click[],
  name: ChunkDimension | 'countryCode',
  zeros: Uint32Array,
): ValueColumn {
  let previous = rows[0]?.[name] ?? null;
  let id = 0;
  const values = [previous];
  let ids = zeros;
  let numbers: Map<string | null, number> | undefined;
  for (let row = 1; row < rows.length; row += 1) {
    const value = rows[row]?.[name] ?? null;
    if (value !== previous) {
      if (numbers === undefined) {
        numbers = new Map([[previous, 0]]);
        ids = new Uint32Array(rows.length);
      }
      id = numbers.get(value) ?? values.push(value) - 1;
      numbers.set(value, id);
      previous = value;
    }
    if (id > 0) ids[row] = id;
  }
  return { values, ids };
}

function countryDictionary(
  rows: readonly Click[],
  zeros: Uint32Array,
): {
  column: ValueColumn;
  codes: (string | null)[];
} {
  const names = dictionary(rows, 'country', zeros);
  const codes = dictionary(rows, 'countryCode', zeros);
  if (names.ids === zeros && codes.ids === zeros) return { column: names, codes: codes.values };
  const values: (string | null)[] = [];
  const pairedCodes: (string | null)[] = [];
  const numbers = new Map<number, number>();
  const ids = new Uint32Array(rows.length);
  for (let row = 0; row < rows.length; row += 1) {
    const name = names.ids[row] ?? 0;
    const code = codes.ids[row] ?? 0;
    const pair = name * codes.values.length + code;
    let number = numbers.get(pair);
    if (number === undefined) {
      number = values.push(names.values[name] ?? null) - 1;
      pairedCodes.push(codes.values[code] ?? null);
      numbers.set(pair, number);
    }
    ids[row] = number;
  }
  return { column: { values, ids }, codes: pairedCodes };
}
