import { beyondBounds, boundedJson } from '../../common/http/json-bodies';
import { CurtailError, UnprocessableError } from '../../common/errors';
import { RequestValidationPipe } from '../../common/http/validation.pipe';
import { validTime } from '../../common/time';
import { checkedDestinations } from '../../destinations/destination-rules';
import { NO_DESTINATIONS } from '../../destinations/destinations';
import { toLinkUpdate, UpdateLinkDto } from '../../links/making/link.dto';
import { FIELD_ROWS, TIME_ROWS } from '../../stores/links/link-fields';
import type { ImportOptions } from '../store/import';
import { CSV_FIELDS, CSV_HEADERS, type CsvField } from './csv-fields';
import type { UnreadableRow } from './import-reader';
import {
  linksOfRow,
  type SourceLink,
  type SourceSettings,
  textsProblem,
  withDropped,
} from './source-link';

const ANSWER_BOUNDS = { depth: 50, values: 250_000 };

/** Undefined if the JSON is invalid or exceeds the limits. */
export function parseJsonBytes(bytes: Uint8Array): unknown {
  const read = boundedJson(
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    ANSWER_BOUNDS,
  );
  return 'value' in read ? read.value : undefined;
}

export type JsonFields = Readonly<Record<string, unknown>>;

/** Null if the value is not a JSON object. */
export function toFields(value: unknown): JsonFields | null {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as JsonFields) : null;
}

/** Returns strings, numbers and booleans as text, and an empty string for other values. */
export function toText(value: unknown): string {
  if (typeof value === 'string') return value.trim();
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** Null if the value is not a non-negative integer. */
export function toNumber(value: unknown): number | null {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null;
}

export type LinkKeys = Readonly<Partial<Record<CsvField, string>>>;

/** Parses a link in a JSON list; numbers and booleans become text. */
export function linkOfJson(
  item: unknown,
  row: number,
  keys: LinkKeys,
  options: Pick<ImportOptions, 'timezone'>,
): SourceLink | UnreadableRow {
  const link = toFields(item);
  if (link === null) return { row, problem: 'no link' };
  const names = CSV_FIELDS.map((field) => [field, keys[field] ?? ''] as const);
  const texts = names.map(([, key]) => toText(link[key]));
  const problem = textsProblem(texts);
  if (problem !== null) return { row, problem };
  const places = names.flatMap(([field, key], place) => (key in link ? [[field, place]] : []));
  const [read] = linksOfRow(row, texts, Object.fromEntries(places) as object, options);
  return read ?? { row, problem: 'no link' };
}

export const DESTINATION_FIELDS = ['rules', 'geo_rules', 'ab_variants'] as const;

/** Fields that only our own exports contain, validated like the body of a link update. */
const EXPORTED_SETTINGS = [
  ...FIELD_ROWS.filter(({ isBasic, name }) => !isBasic && !(name in CSV_HEADERS)).map(
    ({ name }) => name,
  ),
  ...DESTINATION_FIELDS,
];
type SettingField = (typeof EXPORTED_SETTINGS)[number];

const shapes = new RequestValidationPipe();

/** Validates the value like a request body of this class. @throws CurtailError */
export async function shaped<Dto>(value: unknown, metatype: new () => Dto): Promise<Dto> {
  const problem = beyondBounds(Buffer.from(JSON.stringify(value)));
  if (problem !== null) throw UnprocessableError.forField('input', problem);
  return (await shapes.transform(value, { type: 'body', metatype })) as Dto;
}

/** Reads the settings in these fields; skips and reports invalid settings. */
export async function parseSettings(
  item: Readonly<Record<string, unknown>>,
  names: readonly SettingField[],
  dropped: Record<string, string>,
): Promise<SourceSettings> {
  let settings: SourceSettings = {};
  for (const field of names) {
    const value = item[field] ?? null;
    if (value === null) continue;
    try {
      settings = { ...settings, ...(await parseSetting(field, value, settings)) };
    } catch (error) {
      if (!(error instanceof CurtailError)) throw error;
      dropped[field] = error.message;
    }
  }
  return settings;
}

async function parseSetting(
  field: SettingField,
  value: unknown,
  { destinations = NO_DESTINATIONS }: SourceSettings,
): Promise<SourceSettings> {
  const given = await shaped({ [field]: value }, UpdateLinkDto);
  const { destinations: parsed, ...update } = toLinkUpdate(given);
  const times = TIME_ROWS.map(({ key, name }) => {
    const time = update[key];
    return [key, time == null ? undefined : validTime(time, name)];
  });
  const settings = { ...update, ...(Object.fromEntries(times) as object) };
  return {
    ...Object.fromEntries(
      Object.entries<unknown>(settings).filter(([, setting]) => setting !== undefined),
    ),
    ...(parsed && { destinations: { ...destinations, ...checkedDestinations(parsed) } }),
  };
}

/** Adds fields that only Curtail's exports contain. @param item link as in docs/contract.md#6.1 */
export async function withExported(
  link: SourceLink,
  item: JsonFields,
  dropped: Record<string, string> = {},
): Promise<SourceLink> {
  const parsed = withVariantKeys(await parseSettings(item, EXPORTED_SETTINGS, dropped), item);
  const settings = startedInTime(parsed, link.expireAfter, dropped);
  const { expireAfter, maxClicks, clicks } = link;
  // An export shows expired, scheduled and used-up links as INACTIVE, too. Files from earlier
  // releases lack `paused`; their scheduled links stay disabled, because their owners may have
  // paused them.
  const isExpired = expireAfter !== null && expireAfter <= new Date();
  const isScheduled = item.paused === false && settings.startsAt != null;
  const isUsedUp = maxClicks !== null && clicks >= maxClicks && settings.countBots !== false;
  const hasOtherReason = item.paused !== true && (isUsedUp || isExpired || isScheduled);
  const exported = {
    ...link,
    settings,
    pastClicks: link.pastClicks + toCount(item.imported_clicks),
    isArchived: link.isArchived && !(item.status === 'INACTIVE' && hasOtherReason),
    blockBots: item.block_bots === true,
    privateStats: item.private_stats !== false,
  };
  return withDropped(exported, dropped);
}

const VARIANT_NUMBER = /^[1-9]\d{0,8}$/;

/** Keeps the keys under which the variants' clicks are counted, if all are valid. */
function withVariantKeys(settings: SourceSettings, { ab_variants }: JsonFields): SourceSettings {
  const { destinations } = settings;
  if (destinations === undefined || !Array.isArray(ab_variants)) return settings;
  const keys = (ab_variants as readonly JsonFields[]).map(({ key }) => String(key));
  const areKeys =
    new Set(keys).size === keys.length && keys.every((key) => VARIANT_NUMBER.test(key));
  if (!areKeys || keys.length !== destinations.abVariants.length) return settings;
  const abVariants = destinations.abVariants.map((variant, at) => ({ ...variant, key: keys[at] }));
  return { ...settings, destinations: { ...destinations, abVariants } };
}

export function toCount(value: unknown): number {
  return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : 0;
}

function startedInTime(
  settings: SourceSettings,
  expireAfter: Date | null,
  dropped: Record<string, string>,
): SourceSettings {
  const { startsAt = null, ...others } = settings;
  if (startsAt === null || expireAfter === null || startsAt < expireAfter) return settings;
  dropped.starts_at = 'not before expire_after';
  return others;
}
