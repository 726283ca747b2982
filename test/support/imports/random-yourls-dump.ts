import {
  type Click,
  NO_REDIRECT_MS,
  NO_VISITOR,
  SIGNALS,
} from '../../../src/engines/click-engine/chunk/click';
import { aClick, NOTHING_KNOWN } from '../shared/click.factory';
import { encoded, mmdbFile } from '../shared/mmdb-file';
import type { NaiveClick } from '../shared/naive-count';
import { type YourlsLogRow, yourlsDumpOf } from '../factories/yourls-dump';
import type { SeededRandom } from '../fuzz/seeded-random';

const DAY_MS = 86_400_000;

interface Agent {
  readonly userAgent: string;
  readonly fields: Partial<Click>;
}

const LINUX_FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0';

/** User-Agents and the click fields derived from them. */
const AGENTS: readonly Agent[] = [
  {
    userAgent:
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
    fields: { browser: 'Chrome', os: 'Windows', device: 'desktop' },
  },
  { userAgent: LINUX_FIREFOX, fields: { browser: 'Firefox', os: 'Linux', device: 'desktop' } },
  {
    userAgent: `${LINUX_FIREFOX} (it's; a \\ in it)`,
    fields: { browser: 'Firefox', os: 'Linux', device: 'desktop' },
  },
  {
    userAgent:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
    fields: { browser: 'Mobile Safari', os: 'iOS', device: 'mobile' },
  },
  {
    userAgent: 'Mozilla/5.0 (Android 13; Tablet; rv:126.0) Gecko/126.0 Firefox/126.0',
    fields: { browser: 'Mobile Firefox', os: 'Android', device: 'tablet' },
  },
  {
    userAgent: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    fields: { browser: 'Googlebot', botName: 'Googlebot' },
  },
  {
    userAgent: 'WhatsApp/2.23.20.0',
    fields: { botName: 'WhatsApp', signals: SIGNALS.previewer },
  },
  { userAgent: '', fields: {} },
];

const REFERRERS: readonly (readonly [text: string | null, host: string | null])[] = [
  ['direct', null],
  ['', null],
  [null, null],
  ['https://T.co/abc?d=1', 'https://t.co'],
  ['http://news.example.com:8080/a', 'http://news.example.com'],
  ['no address', null],
];

const COUNTRIES: readonly (readonly [text: string | null, country: string | null])[] = [
  ['US', 'United States'],
  ['jp', 'Japan'],
  ['CD', 'DR Congo'],
  ['XX', null],
  ['', null],
  [null, null],
];

const UNREADABLE_ADDRESSES = ['', null, 'unknown', '203.0.113.999', '-'];
const UNREADABLE_TIMES = [null, '', '0000-00-00 00:00:00', '2024-02-30 10:00:00', 'yesterday'];

const PLACES = {
  '203.0.113': { country: 'Germany', countryCode: 'DE', city: 'Berlin' },
  '198.51.100': { country: 'France', countryCode: 'FR', city: null },
} satisfies Record<string, Partial<Click>>;

export function cityDatabase(): Buffer {
  const records = Object.entries(PLACES).map(([network, { countryCode, city }]) => ({
    bits: network
      .split('.')
      .map((part) => Number(part).toString(2).padStart(8, '0'))
      .join(''),
    bytes: encoded({ country_code: countryCode, ...(city !== null && { city }) }),
  }));
  const [first = { bits: '', bytes: Buffer.alloc(0) }, second = first] = records;
  return mmdbFile({
    recordBits: 24,
    ipVersion: 4,
    networks: [
      [first.bits, 0],
      [second.bits, first.bytes.length],
    ],
    data: Buffer.concat([first.bytes, second.bytes]),
  });
}

/** A visitor's request fields, and the expected click fields. */
export interface RandomVisitor {
  readonly address: string;
  readonly userAgent: string;
  readonly fields: Partial<Click>;
}

/** Returns one of about a hundred visitors to both services. */
export function randomVisitor(random: SeededRandom): RandomVisitor {
  const network = random.of([...Object.keys(PLACES), '192.0.2', '2001:db8:']);
  const address = `${network}${network.endsWith(':') ? ':' : '.'}${1 + random.below(9)}`;
  const { userAgent, fields } = random.of(AGENTS);
  const place = network in PLACES ? PLACES[network as keyof typeof PLACES] : {};
  const visitor = `${address} ${userAgent}`;
  return { address, userAgent, fields: { ...NOTHING_KNOWN, ...fields, ...place, visitor } };
}

/** A random YOURLS dump covering the last 400 days, and the expected clicks. */
export interface RandomYourlsDump {
  readonly text: string;
  /** Aliases of links that can be imported. */
  readonly aliases: readonly string[];
  readonly clicks: NaiveClick[];
  /** Clicks without a readable time, and clicks on other links. */
  readonly untimed: number;
  readonly ofOthers: number;
}

export function randomYourlsDump(
  random: SeededRandom,
  { rows, now, tag }: { readonly rows: number; readonly now: number; readonly tag: string },
): RandomYourlsDump {
  const aliases = Array.from({ length: 12 }, (_, i) => `yourls.${i}`);
  const links = new Map(aliases.map((alias) => [alias, `https://example.com/${alias}`]));
  links.set('refused', 'ftp://example.com/');
  const log: YourlsLogRow[] = [];
  const clicks: NaiveClick[] = [];
  let [untimed, ofOthers] = [0, 0];
  for (let i = 0; i < rows; i++) {
    const alias = random.chance(0.5) ? 'yourls.0' : random.of([...aliases, 'refused', 'unknown']);
    const { row, click } = randomClick(random, alias, now);
    log.push(row);
    if (alias === 'refused' || alias === 'unknown') ofOthers++;
    else if (click === null) untimed++;
    else clicks.push({ ...click, alias, marks: [tag] });
  }
  return { text: yourlsDumpOf(links, log), aliases, clicks, untimed, ofOthers };
}

/** A log row and its click; null if its time is unreadable. */
function randomClick(random: SeededRandom, keyword: string, now: number) {
  const at = (Math.floor(now / 1000) - random.below((400 * DAY_MS) / 1000)) * 1000;
  const { address, userAgent, fields } = randomVisitor(random);
  const [referrerText, referrer] = random.of(REFERRERS);
  const [code, country] = random.of(COUNTRIES);
  const hasAddress = random.chance(0.9);
  const hasTime = random.chance(0.97);
  const isMapped = address.includes('.') && random.chance(0.2);
  const row: YourlsLogRow = {
    time: hasTime
      ? new Date(at).toISOString().slice(0, 19).replace('T', ' ')
      : random.of(UNREADABLE_TIMES),
    keyword,
    referrer: referrerText,
    agent: userAgent,
    address: hasAddress
      ? `${isMapped ? '::ffff:' : ''}${address}`
      : random.of(UNREADABLE_ADDRESSES),
    code,
  };
  const nowhere = { country: null, countryCode: null, city: null, visitor: NO_VISITOR };
  const known = hasAddress ? fields : { ...fields, ...nowhere };
  const isPlaced = (known.country ?? null) !== null;
  const told = country === null ? {} : { country, countryCode: code?.toUpperCase() };
  const click = aClick({
    ...known,
    ...(!isPlaced && told),
    ...{ at, referrer, redirectMs: NO_REDIRECT_MS },
  });
  return { row, click: hasTime ? click : null };
}
