import {
  CHUNK_DIMENSIONS,
  type ChunkColumns,
  type ChunkDimension,
  VISITOR_BYTES,
  type ValueColumn,
} from './chunk-columns';
import type { Click } from './click';

const VISITOR = /^[0-9a-f]{24}$/;
const LARGEST_MS = 2 ** 32 - 1;

/** Turns clicks into columns, grouped by visitor; a {@link RangeError} when one is impossible. */
export function columnsOfClicks(clicks: readonly Click[]): ChunkColumns {
  if (clicks.length === 0) throw new RangeError('A chunk holds at least one click');
  clicks.forEach(check);
  const rows = [...clicks].sort(byVisitorAndTime);
  const starts: number[] = [];
  rows.forEach((row, i) => {
    if (row.visitor !== rows[i - 1]?.visitor) starts.push(i);
  });
  const at = Float64Array.from(rows, (row) => row.at);
  const places = country(rows);
  const columns = Object.fromEntries(
    CHUNK_DIMENSIONS.map((name) => [
      name,
      name === 'country' ? places.column : dictionary(rows.map((row) => row[name])),
    ]),
  ) as Record<ChunkDimension, ValueColumn>;
  return {
    n: rows.length,
    from: at.reduce((a, b) => Math.min(a, b)),
    to: at.reduce((a, b) => Math.max(a, b)),
    at,
    redirectMs: Uint32Array.from(rows, (row) => row.redirectMs),
    slot: Uint8Array.from(rows, (row) => Number(row.slot)),
    visitors: Buffer.from(starts.map((row) => rows[row]?.visitor ?? '').join(''), 'hex'),
    visitorRows: Uint32Array.from([...starts, rows.length]),
    columns,
    countryCodes: places.codes,
  };
}

function check(click: Click): void {
  if (!Number.isSafeInteger(click.at) || click.at < 0) throw new RangeError('Impossible time');
  const { redirectMs } = click;
  if (!Number.isInteger(redirectMs) || redirectMs < 0 || redirectMs > LARGEST_MS) {
    throw new RangeError('Impossible redirect time');
  }
  if (!VISITOR.test(click.visitor)) {
    throw new RangeError(`A visitor is ${VISITOR_BYTES} bytes in lower-case hexadecimal`);
  }
}

function byVisitorAndTime(a: Click, b: Click): number {
  if (a.visitor !== b.visitor) return a.visitor < b.visitor ? -1 : 1;
  return a.at - b.at;
}

/** Numbers distinct values in the order of their first appearance. */
function dictionary(all: readonly (string | null)[]): ValueColumn {
  const numbers = new Map<string | null, number>();
  const ids = Uint32Array.from(all, (value) => {
    const known = numbers.get(value) ?? numbers.size;
    numbers.set(value, known);
    return known;
  });
  return { values: [...numbers.keys()], ids };
}

/** Country names with their codes: one entry for each pair that occurs. */
function country(rows: readonly Click[]): { column: ValueColumn; codes: (string | null)[] } {
  const values: (string | null)[] = [];
  const codes: (string | null)[] = [];
  const numbers = new Map<string | null, Map<string | null, number>>();
  const ids = Uint32Array.from(rows, (row) => {
    const named = numbers.get(row.country) ?? new Map<string | null, number>();
    const known = named.get(row.countryCode);
    if (known !== undefined) return known;
    numbers.set(row.country, named.set(row.countryCode, values.length));
    codes.push(row.countryCode);
    return values.push(row.country) - 1;
  });
  return { column: { values, ids }, codes };
}
