import { type TextForm, textProblem } from '../../src/common/plain-text';
import { typedAddress } from '../../src/common/typed-address';
import { parseUrl } from '../../src/config/url';
import { hasEmoji, shapeEmojiAlias } from '../../src/links/making/emoji-alias';
import {
  distinctTagNames,
  MAX_TAG_NAME,
  MAX_TAGS_OF_LINK,
  tagKey,
  tagName,
  UNTAGGED,
} from '../../src/stores/tags/tag';
import { count } from '../format';
import { texts } from '../texts';
import { type DestinationsDraft, NO_DESTINATIONS } from './destination-drafts';

/** A link's form fields, with times in datetime-local format. */
export interface LinkDraft extends DestinationsDraft {
  readonly long_url: string;
  /** Domain name, or DEFAULT_HOST; '' if not chosen. */
  readonly domain: string;
  readonly alias: string;
  readonly expire: string;
  readonly starts: string;
  readonly pre_start_url: string;
  readonly expired_redirect_url: string;
  readonly forward_query: boolean;
  readonly max_clicks: string;
  readonly password: string;
  readonly block_bots: boolean;
  readonly count_bots: boolean;
  readonly public_stats: boolean;
  readonly title: string;
  readonly note: string;
  readonly tags: readonly string[];
}

export const EMPTY_LINK: LinkDraft = {
  long_url: '',
  domain: '',
  alias: '',
  expire: '',
  starts: '',
  pre_start_url: '',
  expired_redirect_url: '',
  forward_query: false,
  max_clicks: '',
  password: '',
  block_bots: false,
  count_bots: true,
  public_stats: false,
  title: '',
  note: '',
  tags: [],
  ...NO_DESTINATIONS,
};

/** Rules in docs/contract.md#5 that a form can check. */
export const RULES = {
  longestUrl: 2048,
  alias: { min: 3, max: 16 },
  password: { min: 8, max: 128 },
  longestTitle: 200,
  longestNote: 2000,
  longestUtm: 100,
} as const;

export type Problems = Readonly<Record<string, string>>;

/** Returns problems that further typing cannot fix, which the form shows while typing. */
export function problemsOfTyping(draft: Partial<LinkDraft>): Problems {
  const { long_url, alias, password, title, note, tags } = draft;
  return present({
    long_url: problemOfTypedUrl(long_url),
    pre_start_url: problemOfTypedUrl(draft.pre_start_url),
    expired_redirect_url: problemOfTypedUrl(draft.expired_redirect_url),
    alias: hasEmoji(alias ?? '') ? null : tooLong((alias ?? '').trim(), RULES.alias.max),
    password: tooLong(password ?? '', RULES.password.max),
    title: problemOfText(title ?? '', { max: RULES.longestTitle }),
    note: problemOfText(note ?? '', { max: RULES.longestNote, lines: true }),
    tags: problemOfTags(tags ?? []),
  });
}

function problemOfTypedUrl(typed = ''): string | null {
  if (hasTwoAddresses(typed)) return texts.linkForm.two;
  return tooLong(typedAddress(typed), RULES.longestUrl);
}

/** Counts code points, like the service. */
function problemOfText(typed: string, form: TextForm): string | null {
  const text = typed.trim();
  if (text === '' || textProblem(text, form) === null) return null;
  const { length } = Array.from(text);
  return length > form.max
    ? texts.linkForm.tooLong(count(length), count(form.max))
    : texts.linkForm.forbidden;
}

export function problemOfTag(typed: string): string | null {
  const name = tagName(typed);
  if (name === '') return texts.tags.missing;
  if (name.includes(',')) return texts.tags.comma;
  if (tagKey(name) === UNTAGGED) return texts.tags.reserved;
  return problemOfText(name, { max: MAX_TAG_NAME });
}

export function problemOfTags(names: readonly string[]): string | null {
  if (distinctTagNames(names).length > MAX_TAGS_OF_LINK)
    return texts.tags.tooMany(count(MAX_TAGS_OF_LINK));
  for (const name of names) {
    const problem = problemOfTag(name);
    if (problem !== null) return `${name}: ${problem}`;
  }
  return null;
}

/**
 * Returns all problems with a form. Does not check unchanged values again.
 * @param site this service's address
 */
export function problemsOfLink(
  draft: LinkDraft,
  before: LinkDraft,
  site: string,
  now: number,
): Problems {
  const has = (field: keyof LinkDraft): boolean => draft[field] !== before[field];
  const { errors } = texts;
  const isPast = (time: string): boolean => time !== '' && !(Date.parse(time) > now);
  const isCrossed = draft.starts !== '' && draft.expire !== '' && draft.starts >= draft.expire;
  const crossed = isCrossed && (has('starts') || has('expire')) ? texts.ways.crossed : null;
  const otherUrl = (field: 'pre_start_url' | 'expired_redirect_url'): string | null =>
    has(field) && draft[field].trim() !== '' ? problemOfUrl(draft[field], site) : null;
  return {
    ...present({
      long_url:
        has('long_url') || draft.long_url === '' ? problemOfUrl(draft.long_url, site) : null,
      alias: has('alias') ? problemOfAlias(draft.alias.trim(), before.alias) : null,
      expire_after:
        has('expire') && isPast(draft.expire)
          ? errors.fields.expire_after
          : has('starts')
            ? null
            : crossed,
      starts_at:
        has('starts') && isPast(draft.starts)
          ? errors.fields.starts_at
          : has('starts')
            ? crossed
            : null,
      pre_start_url: otherUrl('pre_start_url'),
      expired_redirect_url: otherUrl('expired_redirect_url'),
      max_clicks:
        has('max_clicks') && draft.max_clicks !== '' && !isCount(draft.max_clicks)
          ? errors.fields.max_clicks
          : null,
      password: draft.password !== '' && !isGood(draft.password) ? errors.fields.password : null,
    }),
    ...problemsOfTyping(draft),
  };
}

export function problemsOfCampaign(values: Readonly<Record<string, string>>): Problems {
  return present(
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        name,
        problemOfText(value, { max: RULES.longestUtm }),
      ]),
    ),
  );
}

/** Returns the problem with a destination; null if the form finds none. */
export function problemOfUrl(typed: string, site: string): string | null {
  const t = texts.linkForm;
  const address = typedAddress(typed);
  if (address === '') return t.missing;
  if (hasTwoAddresses(address)) return t.two;
  if (address.length > RULES.longestUrl) return tooLong(address, RULES.longestUrl);
  const url = parseUrl(address);
  if (url === null) return t.noAddress;
  const { protocol, host } = url;
  if (protocol !== 'http:' && protocol !== 'https:') return t.otherScheme;
  const own = new URL(site).host;
  return host === own ? t.ownAddress(own) : null;
}

export function problemOfAlias(alias: string, before: string): string | null {
  const { taken } = texts.newLink;
  // A new link without an alias gets a generated one. An existing alias cannot be removed.
  if (alias === '' && before === '') return null;
  if (hasEmoji(alias)) return shapeEmojiAlias(alias) === null ? taken.emoji_policy : null;
  if (alias.length < RULES.alias.min) return taken.length;
  return /^[\w-]+$/.test(alias) ? null : taken.format;
}

/** Looks for spaces, because browsers replace pasted line breaks with spaces. */
function hasTwoAddresses(typed: string): boolean {
  return /\S\s+https?:\/\//i.test(typed.trim());
}

function tooLong(text: string, most: number): string | null {
  return text.length > most ? texts.linkForm.tooLong(count(text.length), count(most)) : null;
}

const isCount = (text: string): boolean => Number.isSafeInteger(Number(text)) && Number(text) >= 1;

function isGood(password: string): boolean {
  const { min, max } = RULES.password;
  const length = password.normalize('NFKC').length;
  return (
    length >= min &&
    length <= max &&
    [/[A-Za-z]/, /[0-9]/, /[@.]/].every((kind) => kind.test(password)) &&
    !/[@.]{2}/.test(password)
  );
}

function present(problems: Readonly<Record<string, string | null>>): Problems {
  return Object.fromEntries(
    Object.entries(problems).filter((entry): entry is [string, string] => entry[1] !== null),
  );
}
