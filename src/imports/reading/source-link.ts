import type { CountSeries } from '../../stores/imported-counts/imported-counts';
import { isFixedSegment } from '../../common/routes';
import { decodeCode, MAX_ALIAS_LENGTH, withoutVariation } from '../../stores/links/alias-form';
import { type LinkSettings, MAX_NOTE, MAX_TITLE, type QrStyle } from '../../stores/links/link';
import type { BasicField, LinkField } from '../../stores/links/link-fields';
import { shapeEmojiAlias } from '../../links/making/emoji-alias';
import type { CsvColumns, CsvField } from './csv-fields';
import {
  type ImportNote,
  type ImportOptions,
  type ImportSource,
  SOURCE_KEYS,
} from '../store/import';
import {
  anyTime,
  fitting,
  isPassword,
  parseCount,
  parseList,
  parseTags,
  pastTime,
} from './field-values';
import { MAX_FIELD_BYTES } from './file-window';

export type SourceSettings = Partial<
  Pick<LinkSettings, Exclude<LinkField, BasicField | 'note' | 'title'> | 'destinations'>
>;

/** A link as parsed from a source, before the rules for links are applied. */
export interface SourceLink {
  readonly row: number;
  readonly part: number;
  /** The alias as spelled in the source; null if one must be generated. */
  readonly alias: string | null;
  readonly domain: string | null;
  readonly linkId: string | null;
  readonly longUrl: string;
  readonly createdAt: Date | null;
  readonly expireAfter: Date | null;
  readonly maxClicks: number | null;
  /** Number of clicks that count towards the click limit. */
  readonly clicks: number;
  /** Number of visits that the source lists separately from its links; absent if none. */
  readonly singles?: number;
  /** Number of past clicks; differs from `clicks` if the source counts two links together. */
  readonly pastClicks: number;
  /** Clicks by time and dimension; absent if the source reports only a total. */
  readonly counts?: CountSeries;
  /** The service that counted; absent if it is the import's source. */
  readonly countsSource?: string;
  /** The source's key for visits to this link; absent if the key is the alias. */
  readonly visitsKey?: string;
  readonly title: string | null;
  readonly note: string | null;
  readonly tagNames: readonly string[];
  readonly isArchived: boolean;
  /** Whether the source protects the link with a password that it does not export. */
  readonly isProtected: boolean;
  /** Fields that the source does not provide; an update leaves these fields unchanged. */
  readonly untold?: readonly string[];
  readonly passwordHash: string | null;
  /** Absent if the source does not specify it. */
  readonly blockBots?: boolean;
  readonly privateStats?: boolean;
  /** Settings with valid values whose destinations are not checked yet. */
  readonly settings?: SourceSettings;
  readonly qrStyle?: QrStyle | null;
  readonly updatedAt?: Date | null;
  readonly notes: readonly ImportNote[];
  readonly message: string | null;
}

/** Fields that an update leaves unchanged if the file has no column for them. */
const OPTIONAL_FIELDS = [
  'title',
  'note',
  'tags',
  'expire_after',
  'max_clicks',
  'archived',
] as const satisfies readonly CsvField[];
const YES = /^(?:yes|true|t|1|archived|y)$/i;
const MAX_CUSTOM = 10;
const MAX_MESSAGE = 500;

/** Parses a CSV row; each custom back-half becomes a separate link after the main link. */
export function linksOfRow(
  row: number,
  fields: readonly string[],
  columns: CsvColumns,
  options: Pick<ImportOptions, 'timezone'> & { readonly isGuessed?: boolean },
): SourceLink[] {
  const text = (field: CsvField): string => {
    const place = columns[field];
    return place === undefined ? '' : (fields[place] ?? '').trim();
  };
  const notes = new Set<ImportNote>(options.isGuessed === true ? ['encoding_guessed'] : []);
  const dropped: Record<string, string> = {};
  const named = namedAlias(text('alias'));
  const short = shortAddress(text('short_url'));
  const customs = parseList(text('custom_url')).flatMap((url) => shortAddress(url) ?? []);
  if (customs.length > MAX_CUSTOM) {
    dropped.custom_url = `${customs.length - MAX_CUSTOM} more than ${MAX_CUSTOM}`;
  }
  const clicks = parseCount(text('clicks'), 'clicks', dropped);
  const shared = {
    row,
    linkId: text('link_id') || null,
    longUrl: text('long_url'),
    createdAt: pastTime(text('created_at'), options.timezone, notes),
    expireAfter: anyTime(text('expire_after'), options.timezone, dropped),
    maxClicks:
      parseCount(text('max_clicks'), 'max_clicks', dropped, Number.MAX_SAFE_INTEGER) || null,
    clicks,
    pastClicks: clicks,
    title: fitting(text('title').replaceAll(/\s+/g, ' '), 'title', { max: MAX_TITLE }, dropped),
    note: fitting(text('note'), 'note', { max: MAX_NOTE, lines: true }, dropped),
    tagNames: parseTags(text('tags'), dropped),
    isArchived: YES.test(text('archived')),
    isProtected: isPassword(text('password')),
    untold: OPTIONAL_FIELDS.filter((field) => columns[field] === undefined),
    passwordHash: null,
  };
  if (Object.keys(dropped).length > 0) notes.add('feature_dropped');
  const remarks = {
    notes: [...notes],
    message: Object.keys(dropped).length > 0 ? JSON.stringify(dropped) : null,
  };
  const domain = text('domain').toLowerCase() || null;
  const own = named ?? short;
  const addresses = [
    ...(own === null || own.code === '' ? [] : [own]),
    ...customs.slice(0, MAX_CUSTOM).filter(({ code }) => code !== own?.code),
  ];
  const first = {
    ...shared,
    ...remarks,
    part: 0,
    alias: null,
    domain: domain ?? own?.host ?? null,
  };
  if (addresses.length === 0) return [first];
  return addresses.map(({ code, host }, part) => ({
    ...first,
    part,
    alias: code,
    domain: domain ?? host ?? (part === 0 ? (short?.host ?? null) : null),
    linkId: part === 0 ? shared.linkId : null,
    // A single link gets all past clicks: the first custom link, or else the main link.
    pastClicks: part === Math.min(1, addresses.length - 1) ? clicks : 0,
  }));
}

// eslint-disable-next-line no-control-regex -- matches control characters
const NO_TEXT = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/;

/** Returns why a string is invalid in a link field, or null if all strings are valid. */
export function textsProblem(texts: readonly string[]): string | null {
  const isLong = texts.some((text) => Buffer.byteLength(text) > MAX_FIELD_BYTES);
  if (isLong) return 'a field is longer than 64 KiB';
  return texts.some((text) => NO_TEXT.test(text)) ? 'characters that are not text' : null;
}

interface ShortAddress {
  readonly host: string | null;
  readonly code: string;
}

/** A short URL, a path, or a short URL without a scheme. */
const SHORT_ADDRESS = /^(?:https?:\/\/|\/|[^\s/?#]+\.[a-z]{2,}(?::\d+)?\/[^/])/i;

/** Accepts a code, a path or a short URL; null if the text is empty. */
function namedAlias(text: string): ShortAddress | null {
  if (SHORT_ADDRESS.test(text)) return shortAddress(text);
  return text === '' ? null : { host: null, code: text.replace(/\/+$/, '') };
}

/** Splits a short URL, whose scheme and host are optional; null if the text is empty. */
function shortAddress(text: string): ShortAddress | null {
  if (text === '') return null;
  const [, host, path = ''] = /^(?:(?:https?:\/\/)?([^/?#]+))?\/*([^?#]*)/i.exec(text) ?? [];
  const isCodeAlone = !/[/.]/.test(text);
  if (isCodeAlone) return { host: null, code: text };
  const code = decodeCode(path.replace(/\/+$/, ''));
  // A path without a code, such as the home page, becomes an invalid alias.
  if (host === undefined) return { host: null, code: code === '' ? text : code };
  return { host: host.toLowerCase(), code };
}

/** Returns the alias as stored, or why it is invalid (docs/contract.md#22.3). */
export function importedAlias(
  text: string,
): { alias: string } | { verdict: 'alias_unsupported' | 'alias_reserved'; message: string } {
  const alias = withoutVariation(text);
  const emoji = alias.replaceAll(/[A-Za-z0-9._~-]/g, '');
  const isPossible =
    alias.length <= MAX_ALIAS_LENGTH &&
    !/^\.{0,2}$/.test(alias) &&
    (emoji === '' || shapeEmojiAlias(emoji) !== null);
  if (!isPossible) {
    return { verdict: 'alias_unsupported', message: `${shown(alias)} cannot be an alias` };
  }
  if (!isFixedSegment(alias.toLowerCase())) return { alias };
  return { verdict: 'alias_reserved', message: `/${alias} is a path on this service` };
}

/** Returns the alias as stored, or null if it is invalid. */
export function validAlias(text: string): string | null {
  const read = importedAlias(text);
  return 'alias' in read ? read.alias : null;
}

export function shown(alias: string): string {
  return alias.slice(0, MAX_ALIAS_LENGTH);
}

/** Adds a note listing the source features that the imported link does not support. */
export function withDropped(
  link: SourceLink,
  item: Readonly<Record<string, unknown>>,
  names = Object.keys(item),
): SourceLink {
  if (names.length === 0) return link;
  const text = JSON.stringify(Object.fromEntries(names.map((name) => [name, item[name]])));
  const cut = text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}…` : text;
  return {
    ...link,
    notes: [...new Set([...link.notes, 'feature_dropped' as const])],
    message: joinTexts(link.message, cut),
  };
}

export const CLICKS_DELETED = 'Its clicks were deleted here: its history is not imported again';

/** For links whose clicks were deleted: past clicks neither count nor use up the click limit. */
export function withoutHistory(link: SourceLink): SourceLink {
  return {
    ...link,
    clicks: 0,
    singles: 0,
    pastClicks: 0,
    counts: undefined,
    notes: [...new Set([...link.notes, 'history_partial' as const])],
    message: joinTexts(link.message, CLICKS_DELETED),
  };
}

export function joinTexts(...texts: readonly (string | null)[]): string | null {
  return texts.filter((text) => text !== null).join('; ') || null;
}

/** Key that later imports use to find the link (docs/contract.md#22.3); may be null. */
export function keyOfLink(
  source: ImportSource,
  link: SourceLink,
  alias: string | null,
): string | null {
  const kind = SOURCE_KEYS[source];
  if (kind === 'id' && link.linkId !== null) return link.linkId;
  return alias === null || kind === 'alias' ? alias : `${link.domain ?? ''}/${alias}`;
}
