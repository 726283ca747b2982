import { type Click, NO_REDIRECT_MS } from '../../../engines/click-engine/chunk/click';
import { SIGNALS } from '../../../engines/click-engine/chunk/signals';
import { agentVerdict } from '../../../clicks/crawlers';
import { toReferrer } from '../../../clicks/recorder/enricher';
import { OTHER_VALUES } from '../../../clicks/store/typed-values';
import { campaignValue } from '../../../common/campaign';
import { boundedJson } from '../../../common/http/json-bodies';
import { parseTime } from '../../../common/time';
import { toFields, type JsonFields } from '../../reading/json-answer';
import type { FoundVisit } from '../../reading/import-reader';
import type { Line } from './lines';

const EXPORTED_DEVICES: readonly unknown[] = [
  'mobile',
  'tablet',
  'desktop',
] satisfies Click['device'][];
const COUNTRY = /^[A-Z]{2}$/;
const UNNAMED_EXPORTED_BOT = 'Unnamed bot';

interface AboutLink {
  readonly row: number;
  readonly alias: string;
  readonly countsBots: boolean;
}

/** Parses a line; an unreadable line yields a visit without a time. */
export function visitOfLine(line: Line, about: AboutLink, exportId: string): FoundVisit {
  const fields = fieldsIn(line);
  const at = typeof fields.time === 'string' ? parseTime(fields.time) : null;
  const { row, alias } = about;
  return {
    alias,
    at,
    ip: '',
    userAgent: '',
    referrer: '',
    countryCode: null,
    row,
    known: { click: toClick(fields, about), visitor: toVisitor(fields, exportId) },
  };
}

function fieldsIn({ bytes }: Line): JsonFields {
  const read = boundedJson(bytes);
  return ('value' in read ? toFields(read.value) : null) ?? {};
}

/** Visitor numbers are unique only within their export. */
function toVisitor({ visitor }: JsonFields, exportId: string): readonly [string, string] | null {
  const isNumber = Number.isSafeInteger(visitor) && (visitor as number) >= 0;
  return isNumber ? [exportId, String(visitor)] : null;
}

function toClick(fields: JsonFields, { countsBots }: AboutLink): Omit<Click, 'at' | 'visitor'> {
  const text = (name: string): string | null => {
    const value = fields[name];
    return typeof value === 'string' ? campaignValue(value.toWellFormed()) : null;
  };
  const { device, country_code: code, referrer, bot, redirect_ms: ms } = fields;
  const botName =
    bot === true || text('bot_name') !== null ? (text('bot_name') ?? UNNAMED_EXPORTED_BOT) : null;
  // A previewer's bot name is the word that identifies its User-Agent.
  const isPreview = botName !== null && agentVerdict(botName).isPreviewer;
  const isExempt = botName !== null && !countsBots;
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
    variant: null,
    botName,
    redirectMs: isRedirectTime(ms) ? ms : NO_REDIRECT_MS,
    slot: false,
    signals: (isPreview ? SIGNALS.previewer : 0) | (isExempt ? SIGNALS.exempt : 0),
  };
}

/** Keeps the placeholder that replaces rare values during a flood. */
function keptReferrer(text: string): string | null {
  return text === OTHER_VALUES ? text : toReferrer(text);
}

function isRedirectTime(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) < NO_REDIRECT_MS;
}
