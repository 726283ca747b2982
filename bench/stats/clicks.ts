import { radixOrder } from './radix-order';
import type { Device } from '../../src/infrastructure/user-agent/user-agent';
import {
  type ChunkColumns,
  type ValueColumn,
  VISITOR_BYTES,
} from '../../src/engines/click-engine/chunk/chunk-columns';

export const DAYS = 30;
export const VISITORS = 200_000;
export const DAY_MS = 86_400_000;
const DEVICES: readonly Device[] = ['mobile', 'desktop', 'tablet', 'unknown'];

export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** A column's values by number. In optional columns, 0 means no value. */
const countries = Array.from({ length: 150 }, (_, i) => `Country ${i}`);
const noneAnd = (name: (i: number) => string, count: number): (string | null)[] => [
  null,
  ...Array.from({ length: count }, (_, i) => name(i)),
];
export const VALUES = {
  browser: Array.from({ length: 30 }, (_, i) => `Browser ${i}`),
  os: Array.from({ length: 12 }, (_, i) => `System ${i}`),
  device: DEVICES,
  country: countries,
  city: Array.from({ length: 5000 }, (_, i) => `City ${i}`),
  referrer: noneAnd((i) => `https://site${i}.example`, 2000),
  utmSource: noneAnd((i) => `source${i}`, 12),
  utmMedium: noneAnd((i) => `medium${i}`, 5),
  utmCampaign: noneAnd((i) => `campaign${i}`, 40),
} as const satisfies Record<string, readonly (string | null)[]>;
export type BenchColumn = keyof typeof VALUES;
export const OF_VISITOR = ['browser', 'os', 'device', 'country', 'city'] as const;
export const OF_CLICK = ['referrer', 'utmSource', 'utmMedium', 'utmCampaign'] as const;

/** Clicks as numbers, ascending by time, 16 bytes each. */
export class ClickNumbers {
  readonly at: Uint32Array;
  readonly visitor: Uint32Array;
  readonly link: Uint32Array;
  readonly redirectMs: Uint8Array;
  readonly columns: Record<(typeof OF_CLICK)[number], Uint16Array | Uint8Array>;

  constructor(readonly count: number) {
    this.at = new Uint32Array(count);
    this.visitor = new Uint32Array(count);
    this.link = new Uint32Array(count);
    this.redirectMs = new Uint8Array(count);
    this.columns = {
      referrer: new Uint16Array(count),
      utmSource: new Uint8Array(count),
      utmMedium: new Uint8Array(count),
      utmCampaign: new Uint8Array(count),
    };
  }
}

/**
 * Clicks over 30 days, ascending by time. Typed arrays only: a hundred million clicks take 1.6 GB.
 */
export class ClickSource {
  readonly hashes: Buffer;
  readonly ofVisitor: Record<(typeof OF_VISITOR)[number], Uint16Array>;
  readonly clicks: ClickNumbers;

  constructor(
    readonly start: number,
    count: number,
    links: number,
    readonly visitors = VISITORS,
  ) {
    const random = randomNumbers(20_261_121);
    const upTo = (most: number): number => Math.floor(random() * most);
    const hashes = Array.from({ length: visitors }, (_, i) =>
      [upTo(2 ** 32), upTo(2 ** 32), i].map((word) => word.toString(16).padStart(8, '0')).join(''),
    ).sort();
    this.hashes = Buffer.from(hashes.join(''), 'hex');
    const each = (value: () => number): Uint16Array =>
      Uint16Array.from({ length: visitors }, value);
    const city = each(() => upTo(VALUES.city.length));
    this.ofVisitor = {
      browser: each(() => upTo(VALUES.browser.length)),
      os: each(() => upTo(VALUES.os.length)),
      device: each(() => upTo(VALUES.device.length)),
      country: city.map((place) => place % countries.length),
      city,
    };
    const numbers = new ClickNumbers(count);
    this.clicks = numbers;
    const { at, visitor, link, redirectMs, columns } = numbers;
    for (let n = 0; n < count; n += 1) {
      // Keeps clicks within the queries' range.
      at[n] = Math.min(Math.floor((n * DAYS * DAY_MS) / count) + upTo(1000), DAYS * DAY_MS);
      visitor[n] = upTo(visitors);
      link[n] = upTo(links);
      redirectMs[n] = upTo(4);
      columns.referrer[n] = random() < 0.3 ? 0 : 1 + upTo(2000);
      if (random() >= 1 / 3) continue;
      columns.utmSource[n] = 1 + upTo(12);
      columns.utmMedium[n] = 1 + upTo(5);
      columns.utmCampaign[n] = 1 + upTo(40);
    }
  }

  get end(): number {
    return this.start + DAYS * DAY_MS;
  }

  chunkOf(rows: Uint32Array): ChunkColumns {
    const { at, visitor, redirectMs } = this.clicks;
    const order = radixOrder(Uint32Array.from(rows, (row) => visitor[row] ?? 0));
    const sorted = order.map((place) => rows[place] ?? 0);
    const n = sorted.length;
    const starts: number[] = [];
    const who: number[] = [];
    for (let i = 0; i < n; i += 1) {
      const of = visitor[sorted[i] ?? 0] ?? 0;
      if (i > 0 && visitor[sorted[i - 1] ?? 0] === of) continue;
      starts.push(i);
      who.push(of);
    }
    const visitors = new Uint8Array(who.length * VISITOR_BYTES);
    who.forEach((of, i) => {
      const from = of * VISITOR_BYTES;
      for (let byte = 0; byte < VISITOR_BYTES; byte += 1) {
        visitors[i * VISITOR_BYTES + byte] = this.hashes[from + byte] ?? 0;
      }
    });
    const times = Float64Array.from(sorted, (row) => this.start + (at[row] ?? 0));
    const none: ValueColumn = { values: [null], ids: new Uint32Array(n) };
    const columns = { botName: none, variant: none } as ChunkColumns['columns'];
    for (const name of OF_VISITOR) {
      const values = this.ofVisitor[name];
      columns[name] = dictionary(sorted, (row) => values[visitor[row] ?? 0] ?? 0, VALUES[name]);
    }
    for (const name of OF_CLICK) {
      const values = this.clicks.columns[name];
      columns[name] = dictionary(sorted, (row) => values[row] ?? 0, VALUES[name]);
    }
    return {
      n,
      from: times.reduce((a, b) => Math.min(a, b)),
      to: times.reduce((a, b) => Math.max(a, b)),
      at: times,
      redirectMs: Uint32Array.from(sorted, (row) => redirectMs[row] ?? 0),
      slot: new Uint8Array(n),
      signals: new Uint32Array(n),
      visitors,
      visitorRows: Uint32Array.from([...starts, n]),
      columns,
      countryCodes: columns.country.values.map(codeOf),
      unknown: [],
    };
  }
}

function codeOf(country: string | null): string {
  const number = Number(country?.slice('Country '.length));
  return String.fromCharCode(65 + Math.floor(number / 26), 65 + (number % 26));
}

function dictionary(
  rows: Uint32Array,
  numberOf: (row: number) => number,
  all: readonly (string | null)[],
): ValueColumn {
  const ids = new Uint32Array(rows.length);
  const known = new Uint32Array(all.length);
  const values: (string | null)[] = [];
  for (let i = 0; i < rows.length; i += 1) {
    const number = numberOf(rows[i] ?? 0);
    if (known[number] === 0) known[number] = values.push(all[number] ?? null);
    ids[i] = (known[number] ?? 0) - 1;
  }
  return { values, ids };
}
