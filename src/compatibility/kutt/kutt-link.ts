import { BadRequestError } from '../../common/errors';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../common/time';
import type { ShownLink } from '../compatible-links.service';
import type { LinkFields } from '../compatible-request';
import { withScheme } from '../foreign-text';

/** Field names in /api/v1 and the corresponding names for Kutt's clients. */
export const KUTT_NAMES: Readonly<Record<string, string>> = {
  long_url: 'target',
  note: 'description',
  expire_after: 'expire_in',
};

const UNIT_MS: readonly (readonly [names: RegExp, ms: number])[] = [
  [/^(?:|ms|msecs?|milliseconds?)$/, 1],
  [/^(?:s|secs?|seconds?)$/, 1000],
  [/^(?:m|mins?|minutes?)$/, MINUTE_MS],
  [/^(?:h|hrs?|hours?)$/, HOUR_MS],
  [/^(?:d|days?)$/, DAY_MS],
  [/^(?:w|weeks?)$/, 7 * DAY_MS],
  [/^(?:y|yrs?|years?)$/, 365.25 * DAY_MS],
];
const DURATION = /^(\d{1,15}(?:\.\d{1,15})?|\.\d{1,15}) *([a-z]*)$/i;

/** Returns milliseconds; null if the text is not a duration of at least a minute. */
export function parseDuration(input: unknown): number | null {
  const text = typeof input === 'number' ? String(input) : input;
  const [, count, unit = ''] = (typeof text === 'string' && DURATION.exec(text.trim())) || [];
  const [, ms] = UNIT_MS.find(([names]) => names.test(unit.toLowerCase())) ?? [];
  const length = Number(count) * (ms ?? NaN);
  return length >= MINUTE_MS ? length : null;
}

/** Converts the fields of POST /links; null, empty texts and false count as absent. */
export function toNewFields(body: LinkFields, now: number): LinkFields {
  const { target, customurl, description, expire_in, ...same } = presentFields(body);
  return {
    long_url: typeof target === 'string' ? withScheme(target) : target,
    alias: customurl,
    password: same.password,
    note: description,
    reuse: same.reuse,
    domain: same.domain,
    expire_after: expire_in === undefined ? undefined : toExpiry(expire_in, now),
  };
}

/** Converts the fields of PATCH; null and empty texts count as absent, but they remove the password. */
export function toChangedFields({ password, ...body }: LinkFields, now: number): LinkFields {
  const { address, target, description, expire_in } = presentFields(body);
  return {
    ...toNewFields({ target, description, expire_in, customurl: address }, now),
    password: password === '' ? null : password,
  };
}

function presentFields({ reuse, ...body }: LinkFields): LinkFields {
  // A form has only texts, which Python capitalizes.
  const [flag] = (typeof reuse === 'string' && /^(?:true|false)$/i.exec(reuse)) || [];
  const typed = { ...body, reuse: flag === undefined ? reuse : flag.toLowerCase() === 'true' };
  const isPresent = (value: unknown) => ![null, '', false].includes(value as never);
  return Object.fromEntries(Object.entries(typed).filter(([, value]) => isPresent(value)));
}

function toExpiry(input: unknown, now: number): number {
  const length = parseDuration(input);
  if (length !== null) return Math.ceil((now + length) / 1000);
  throw new BadRequestError('expire_after must be a duration of at least a minute', 'expire_after');
}

const ID = /^([0-9a-f]{24})$/i;
const UUID = /^([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})0{8}$/i;

/** Returns the link's id; null if the text is an alias. */
export function readId(text: string): string | null {
  const parts = ID.exec(text) ?? UUID.exec(text);
  return parts === null ? null : parts.slice(1).join('').toLowerCase();
}

/** Kutt's ids are UUIDs, so the link's 24 digits are followed by zeros. */
export function toUuid(id: string): string {
  return `${id}00000000`.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

export function toKuttLink(link: ShownLink) {
  const { expire_after: expiry } = link;
  return {
    id: toUuid(link.id),
    address: link.alias,
    banned: link.status === 'BLOCKED',
    created_at: link.created_at,
    updated_at: link.updated_at,
    description: link.note,
    domain: link.domain,
    expire_in: expiry === null ? null : new Date(expiry * 1000).toISOString(),
    link: link.short_url,
    password: link.password_set,
    target: link.long_url,
    visit_count: link.total_clicks + (link.imported_clicks ?? 0),
  };
}
