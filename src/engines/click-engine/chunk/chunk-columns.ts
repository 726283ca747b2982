/**
 * The clicks of a link are stored as chunks of columns; this folder turns clicks into chunks, reads
 * chunks back and merges them.
 *
 *     chunk-columns.ts  the columns of a chunk in memory, and THE TABLE of stored columns
 *     column-kinds.ts   how the values of a column become bytes, by the kind of the column
 *     chunk.ts          a chunk as bytes: version, checksum, visitors, compression, and its columns
 *     merge-chunks.ts   several chunks as one, in the order of visitor-order.ts
 *     bytes.ts          numbers and texts as bytes
 *
 * A further dimension of a click is one line in VALUE_COLUMNS below (and the field of a click with
 * that name). Chunks that were stored before read as having no value in it. Releases that do not
 * know the column yet carry it along: in version 2 each column says its id, its length and its
 * kind, and the kind is enough to bring its rows into another order. No release may give an id that
 * was once used another meaning or another kind.
 */
import type { Click } from '../click';
import type { NarrowNumbers } from './narrow-numbers';

/** Ids of the columns of numbers and of flags. Id 14 is kept for the numbers of User-Agents. */
export const REDIRECT_MS = 1;
export const SLOT = 2;
export const CHUNK_SIGNALS = 15;

/**
 * The dictionary-coded values of a click by the name of its field, with the id under which a chunk
 * stores them. `typed` are those that visitors make up and whose size is therefore bounded; the
 * country is stored together with its code.
 */
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

/** Bytes of a visitor hash. */
export const VISITOR_BYTES = 12;

/** One value per row: `values[ids[row]]`. */
export interface ValueColumn {
  values: (string | null)[];
  ids: Uint32Array;
}

/** A column as it is stored; columns of later releases are carried along by their kind. */
export interface StoredColumn {
  id: number;
  kind: number;
  /**
   * Null in a merged chunk when not even the kind is known: such a chunk can be counted, but not
   * stored.
   */
  payload: Uint8Array | null;
}

/** A column as it is stored: one number for each visitor, or for each row. */
export interface SelectedColumn {
  /** For each value the number of its text in a table, … */
  values: Uint32Array;
  /** … and that of its second text, of a column of pairs. */
  seconds: Uint32Array | null;
  ids: NarrowNumbers;
  perVisitor: boolean;
}

/**
 * The clicks of a chunk as columns. Rows are grouped by visitor and the visitors ascend by their
 * bytes, so that chunks can be merged, and visitors counted, without a table of all visitors.
 */
export interface ChunkColumns {
  n: number;
  /** Time of the first and of the last click, in milliseconds. */
  from: number;
  to: number;
  at: Float64Array;
  redirectMs: Uint32Array;
  /** 1 where a click of the link's quota was taken. */
  slot: Uint8Array;
  /** Bits of SIGNALS (signals.ts). */
  signals: Uint32Array;
  /** Distinct visitors, ascending, 12 bytes each. */
  visitors: Uint8Array;
  /** Rows of visitor `v` are `visitorRows[v]` up to, not including, `visitorRows[v + 1]`. */
  visitorRows: Uint32Array;
  columns: Record<ChunkDimension, ValueColumn>;
  /** The alpha-2 code that belongs to each entry of `columns.country.values`. */
  countryCodes: (string | null)[];
  /** In the order of their ids; none where no later release has written. */
  unknown: readonly StoredColumn[];
}

const VISITOR = /^[0-9a-f]{24}$/;
const MAX_NUMBER = 2 ** 32 - 1;

/** Turns clicks into columns, grouped by visitor; a {@link RangeError} when one is impossible. */
export function columnsOfClicks(clicks: readonly Click[]): ChunkColumns {
  const n = clicks.length;
  if (n === 0) throw new RangeError('A chunk holds at least one click');
  clicks.forEach(check);
  const rows = n === 1 ? clicks : [...clicks].sort(byVisitorAndTime);
  // Loops: a recorder makes columns of every click, and `from` takes several times as long.
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
    ...{ n, from, to, at, redirectMs, slot, signals },
    visitors: Buffer.from(visitors, 'hex'),
    visitorRows: new Uint32Array(starts),
    columns,
    countryCodes: countries.codes,
    unknown: [],
  };
}

function check(click: Click): void {
  if (!Number.isSafeInteger(click.at) || click.at < 0) throw new RangeError('Impossible time');
  if (!isUint32(click.redirectMs)) throw new RangeError('Impossible redirect time');
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

/**
 * Numbers distinct values in the order of their first appearance.
 * @param zeros the ids of every column that has the same value in all rows, as most have
 */
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

/** Country names with their codes: one entry for each pair that occurs. */
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
