/**
 * Encodes requests and decodes responses like spoo.me's published clients (docs/contract.md#31.4).
 * Each field has the strictest type that any client uses.
 */
interface SpooClient {
  readonly name: string;
  readonly segment: (text: string) => string;
  readonly time: (time: Date) => string | number;
}

const seconds = (time: Date): string => time.toISOString().slice(0, 19);
const unreserved = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
const lettersOfGo = (text: string): string => encodeURIComponent(text).replace(/%3A/g, ':');

export const SPOO_CLIENTS: readonly SpooClient[] = [
  { name: 'TypeScript', segment: encodeURIComponent, time: (time) => time.toISOString() },
  { name: 'Python', segment: unreserved, time: (time) => `${seconds(time)}.000000+00:00` },
  { name: 'Go', segment: lettersOfGo, time: (time) => `${seconds(time)}.000000001Z` },
  { name: 'Rust', segment: unreserved, time: (time) => `${seconds(time)}.000000001+00:00` },
  { name: 'Kotlin', segment: unreserved, time: (time) => `${seconds(time)}.000000001Z` },
  { name: 'a terminal', segment: lettersOfGo, time: (time) => `${seconds(time)}Z` },
];

/** Type that all clients require. With `?`, the field may be null or absent. */
type Kind = 'text' | 'whole' | 'number' | 'flag' | 'time' | 'list' | 'texts by name' | 'object';
type Shape = Readonly<Record<string, Kind | `${Kind}?`>>;

const isText = (value: unknown): boolean => typeof value === 'string';
const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const READERS: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  text: isText,
  whole: Number.isSafeInteger,
  number: (value) => typeof value === 'number',
  flag: (value) => typeof value === 'boolean',
  time: (value) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(String(value)),
  list: Array.isArray,
  'texts by name': (value) => isObject(value) && Object.values(value).every(isText),
  object: isObject,
};

export function unreadable(answer: object, shape: Shape): string[] {
  const values = new Map<string, unknown>(Object.entries(answer));
  return Object.entries(shape).flatMap(([name, wanted]) => {
    const value = values.get(name) ?? null;
    const kind = wanted.replace('?', '') as Kind;
    const isRead = value === null ? wanted.endsWith('?') : READERS[kind](value);
    return isRead ? [] : [name];
  });
}

const LINK = {
  id: 'text',
  long_url: 'text',
  status: 'text',
  private_stats: 'flag?',
  geo_rules: 'texts by name?',
  meta_tags: 'object?',
} as const;
const SETTINGS = {
  alias: 'text',
  password_set: 'flag',
  max_clicks: 'whole?',
  expire_after: 'whole?',
  block_bots: 'flag?',
  domain: 'text?',
} as const;

export const CREATED: Shape = {
  ...LINK,
  ...{ alias: 'text', short_url: 'text', owner_id: 'text?', created_at: 'whole' },
  claim_token: 'text?',
};
export const ITEM: Shape = {
  ...{ ...LINK, ...SETTINGS },
  ...{ created_at: 'time', total_clicks: 'whole', last_click: 'time?' },
};
export const UPDATED: Shape = { ...LINK, ...SETTINGS, updated_at: 'whole' };
export const PAGE: Shape = {
  ...{ items: 'list', page: 'whole', pageSize: 'whole', total: 'whole', hasNext: 'flag' },
  ...{ sortBy: 'text', sortOrder: 'text' },
};
export const SUMMARY: Shape = { total: 'whole', succeeded: 'whole', failed: 'whole' };
export const ROW: Shape = {
  ...{ id: 'text', alias: 'text?', ok: 'flag', error_code: 'text?', error: 'text?' },
};
export const PREVIEW: Shape = {
  ...{ generation: 'text', alias: 'text', short_url: 'text', status: 'text' },
  ...{ created_at: 'time', password_protected: 'flag' },
  ...{ destination: 'object?', geo_destinations: 'list?' },
};
export const DESTINATION: Shape = { url: 'text', domain: 'text', path: 'text', is_https: 'flag' };
export const EMOJI_SET: Shape = {
  ...{ accept_max_version: 'number', generate_max_version: 'number', max_graphemes: 'whole' },
  emoji: 'list',
};
export const EMOJI: Shape = { c: 'text', n: 'text', g: 'text', gen: 'flag', k: 'list?' };
