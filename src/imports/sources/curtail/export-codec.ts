import { campaignValue } from '../../../common/campaign';
import { parseTime } from '../../../common/time';
import { toReferrer } from '../../../clicks/recorder/enricher';
import { OTHER_VALUES } from '../../../clicks/store/typed-values';
import {
  audienceClass,
  type Click,
  NO_REDIRECT_MS,
  SIGNALS,
} from '../../../engines/click-engine/chunk/click';
import {
  COUNT_UNITS,
  COUNTED_DIMENSIONS,
  type CountSeries,
  type ImportedCounts,
} from '../../../stores/imported-counts/imported-counts';
import { parseSourceCount, SeriesBuilder } from '../../../stores/imported-counts/series-builder';
import type { JsonFields } from '../../reading/json-answer';
import { isTimeZone } from '../../reading/zoned-time';

export const EXPORT_FORMAT = 1;
export const MANIFEST_FILE = 'manifest.json';
export const ACCOUNT_FILE = 'account.json';
export const LINKS_FILE = 'links.ndjson';
export const COUNTS_FILE = 'counts.ndjson';
export const README_FILE = 'README.txt';
/** Number of links whose clicks are in the same file. */
export const LINKS_A_FILE = 10_000;

const CLICKS_FILE = /^clicks\/\d{5}\.ndjson$/;

export interface ExportedFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Line count; null for files without lines. */
  readonly records: number | null;
}

/** @param number counted from 1 */
export function clicksFile(number: number): string {
  return `clicks/${String(number).padStart(5, '0')}.ndjson`;
}

export function isClicksFile(name: string): boolean {
  return CLICKS_FILE.test(name);
}

export function isExportFile(name: string): boolean {
  return [ACCOUNT_FILE, LINKS_FILE, COUNTS_FILE, README_FILE].includes(name) || isClicksFile(name);
}

export function exportLine(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : '';
type ExportedClick = Readonly<
  Record<SnakeCase<Exclude<keyof Click, 'at' | 'slot' | 'signals'>>, unknown>
>;

/** @param visitor number within the export; during an export, the hash */
export function clickLine(linkId: string, click: Click, visitor: number | string | null): string {
  return exportLine({
    url_id: linkId,
    time: new Date(click.at).toISOString(),
    visitor,
    browser: click.browser,
    os: click.os,
    device: click.device,
    country: click.country,
    country_code: click.countryCode,
    city: click.city,
    referrer: click.referrer,
    utm_source: click.utmSource,
    utm_medium: click.utmMedium,
    utm_campaign: click.utmCampaign,
    audience: audienceClass(click.signals, click.botName !== null),
    bot_name: click.botName,
    trigger: (click.signals & SIGNALS.qrCode) === 0 ? 'link' : 'qr',
    variant: click.variant,
    redirect_ms: click.redirectMs === NO_REDIRECT_MS ? null : click.redirectMs,
  } satisfies ExportedClick & Readonly<Record<string, unknown>>);
}

const WRITTEN_CLICK =
  /^\{"url_id":"([0-9a-f]{24})","time":"([^"]*)","visitor":(?:"([0-9a-f]{24})"|null),(.*)\}$/s;

export interface WrittenClick {
  readonly linkId: string;
  readonly time: string;
  /** The hash; null if unknown. */
  readonly visitor: string | null;
  readonly rest: string;
}

/** Splits a line that `clickLine` has written with the visitor's hash. */
export function splitClickLine(line: string): WrittenClick {
  const [, linkId, time, visitor, rest] = WRITTEN_CLICK.exec(line) ?? [];
  if (linkId === undefined || time === undefined || rest === undefined)
    throw new RangeError('A line of clicks is damaged');
  return { linkId, time, visitor: visitor ?? null, rest };
}

export function numberedClickLine(
  { linkId, time, rest }: WrittenClick,
  visitor: number | null,
): string {
  return `{"url_id":"${linkId}","time":"${time}","visitor":${visitor},${rest}}\n`;
}

const EXPORTED_DEVICES: readonly unknown[] = [
  'mobile',
  'tablet',
  'desktop',
] satisfies Click['device'][];
const COUNTRY = /^[A-Z]{2}$/;
const VARIANT = /^[a-z0-9-]{1,20}$/;
const UNNAMED_EXPORTED_BOT = 'Unnamed bot';

/** Null if the time is unreadable. */
export function timeOfLine({ time }: JsonFields): number | null {
  return typeof time === 'string' ? parseTime(time) : null;
}

export function visitorOfLine({ visitor }: JsonFields): number | null {
  return Number.isSafeInteger(visitor) && (visitor as number) >= 0 ? (visitor as number) : null;
}

/** @param countsBots whether automatic clicks on the link count towards its click limit */
export function clickOfLine(
  fields: JsonFields,
  countsBots: boolean,
): Omit<Click, 'at' | 'visitor'> {
  const text = (name: string): string | null => {
    const value = fields[name];
    return typeof value === 'string' ? campaignValue(value.toWellFormed()) : null;
  };
  const { audience, device, country_code: code, referrer, trigger, variant } = fields;
  const { redirect_ms: ms } = fields;
  const botName = text('bot_name') ?? (audience === 'bot' ? UNNAMED_EXPORTED_BOT : null);
  const preview = botName === null ? SIGNALS.prefetch : SIGNALS.previewer;
  const isPreview = audience === 'preview';
  const isExempt = (isPreview || botName !== null) && !countsBots;
  return {
    browser: text('browser'),
    os: text('os'),
    device: EXPORTED_DEVICES.includes(device) ? (device as Click['device']) : 'unknown',
    country: text('country'),
    countryCode: typeof code === 'string' && COUNTRY.test(code) ? code : null,
    city: text('city'),
    referrer: typeof referrer === 'string' ? keptReferrer(referrer) : null,
    utmSource: text('utm_source'),
    utmMedium: text('utm_medium'),
    utmCampaign: text('utm_campaign'),
    variant: typeof variant === 'string' && VARIANT.test(variant) ? variant : null,
    botName,
    redirectMs: isRedirectTime(ms) ? ms : NO_REDIRECT_MS,
    slot: false,
    signals:
      (isPreview ? preview : 0) |
      (trigger === 'qr' ? SIGNALS.qrCode : 0) |
      (isExempt ? SIGNALS.exempt : 0),
  };
}

/** Keeps the placeholder that replaced rare values during a flood of clicks. */
function keptReferrer(text: string): string | null {
  return text === OTHER_VALUES ? text : toReferrer(text);
}

function isRedirectTime(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) < NO_REDIRECT_MS;
}

/** A link's counts: a line with the total, then lines by time unit and by value. */
export function* countLines(counts: ImportedCounts): Generator<string> {
  const { linkId: url_id, source, clicks, granularity, timezone, from, to, units, by } = counts;
  const period = { from: from === null ? null : iso(from), to: to === null ? null : iso(to) };
  yield exportLine({ url_id, source, clicks, granularity, timezone, ...period });
  for (const [at, start] of units.starts.entries()) {
    yield exportLine({ url_id, time: iso(start), clicks: units.clicks[at] ?? 0 });
  }
  for (const dimension of COUNTED_DIMENSIONS) {
    const values = [...(by[dimension] ?? [])].sort(
      ([a, first], [b, second]) => second - first || (a < b ? -1 : 1),
    );
    for (const [value, clicks] of values) yield exportLine({ url_id, dimension, value, clicks });
  }
}

function iso(at: number): string {
  return new Date(at).toISOString();
}

export interface ExportedCounts {
  readonly source: string;
  readonly clicks: number;
  readonly series: CountSeries;
}

const COUNTS_SOURCE = /^[a-z0-9_]{1,40}$/;

/** Reads the lines about one link, and skips invalid lines. */
export class CountsDecoder {
  private head?: { readonly source: string; readonly clicks: number; readonly sum: SeriesBuilder };

  add(fields: JsonFields): void {
    if (this.head === undefined) {
      this.head = readHead(fields);
      return;
    }
    const { sum } = this.head;
    const { dimension, value, clicks } = fields;
    const at = timeOfLine(fields);
    const counted = COUNTED_DIMENSIONS.find((name) => name === dimension);
    if (at !== null && at >= 0) sum.addUnit(at, clicks);
    else if (counted !== undefined && typeof value === 'string') {
      sum.addValue(counted, value.toWellFormed(), clicks);
    }
  }

  /** Null if there are no counts. */
  build(): ExportedCounts | null {
    if (this.head === undefined || this.head.clicks === 0) return null;
    const { source, clicks, sum } = this.head;
    return { source, clicks, series: sum.build() };
  }
}

function readHead({ source, clicks, granularity, timezone, from, to }: JsonFields) {
  const unit = COUNT_UNITS.find((name) => name === granularity);
  const isZone = typeof timezone === 'string' && timezone.length <= 100 && isTimeZone(timezone);
  if (typeof source !== 'string' || !COUNTS_SOURCE.test(source) || unit === undefined || !isZone)
    return undefined;
  const sum = new SeriesBuilder({ granularity: unit, timezone });
  const [first, last] = [timeOfLine({ time: from }), timeOfLine({ time: to })];
  if (first !== null && last !== null) sum.addSpan(first, last);
  return { source, clicks: parseSourceCount(clicks), sum };
}
