import type { Click, Device } from '../click';
import {
  CHUNK_DIMENSIONS,
  type ChunkColumns,
  type ChunkDimension,
  type ValueColumn,
  VISITOR_BYTES,
} from './chunk-columns';

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

/** The clicks of a chunk one by one: for audits and tests, not for figures. */
export function* clicksOfColumns(chunk: ChunkColumns): Generator<Click> {
  const value = (name: ChunkDimension, row: number): string | null => {
    const { values, ids } = chunk.columns[name];
    return values[ids[row] ?? 0] ?? null;
  };
  let visitor = 0;
  for (let row = 0; row < chunk.n; row += 1) {
    while (row >= (chunk.visitorRows[visitor + 1] ?? chunk.n)) visitor += 1;
    const byte = visitor * VISITOR_BYTES;
    yield {
      at: chunk.at[row] ?? 0,
      visitor: Buffer.from(chunk.visitors.subarray(byte, byte + VISITOR_BYTES)).toString('hex'),
      browser: value('browser', row),
      os: value('os', row),
      device: value('device', row) as Device,
      country: value('country', row),
      countryCode: chunk.countryCodes[chunk.columns.country.ids[row] ?? 0] ?? null,
      city: value('city', row),
      referrer: value('referrer', row),
      utmSource: value('utmSource', row),
      utmMedium: value('utmMedium', row),
      utmCampaign: value('utmCampaign', row),
      botName: value('botName', row),
      redirectMs: chunk.redirectMs[row] ?? 0,
      slot: chunk.slot[row] === 1,
    };
  }
}
