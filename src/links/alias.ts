import { randomInt } from 'node:crypto';
import { BadRequestError, UnprocessableError } from '../common/errors';
import { FIXED_SEGMENTS } from '../common/routes';
import { MAX_ALIAS_LENGTH, placeOfKey, toKey, withoutVariation } from '../stores/links/alias-form';
import { hasEmoji, shapeEmojiAlias } from './emoji-alias';

const LISTED = `about acceptable-use acceptable-use-policy account admin api apps aup auth billing
  blog brand callback changelog contact dashboard discord docs domains emoji error export favicon
  features forgot-password geo github health help home humans icon icons-3d images keys legal links
  login logout metric oauth onboarding pricing privacy privacy-policy profile profile-pictures public
  refund refund-policy register relay report reset restore-account result robots security settings
  signin signup sitemap static statistics stats terms terms-of-service testimonials tools tos
  twitter user verify www _error _gone _next _not-found`;

/**
 * docs/contract.md#5.3, compared case-insensitively after the cut to 16 characters. Every fixed first
 * segment is among them: a link of that name could never be reached.
 */
const RESERVED_ALIASES = new Set(
  [...LISTED.split(/\s+/), ...FIXED_SEGMENTS].map((alias) => alias.slice(0, 16)),
);

/** On custom domains: others of its reserved paths have a dot, which no alias has (25.3). */
const RESERVED_ELSEWHERE = 'static';

/** @param key an alias as it is stored */
export function isReserved(key: string): boolean {
  const { domainId, alias } = placeOfKey(key);
  const lower = alias.toLowerCase();
  return domainId === null ? RESERVED_ALIASES.has(lower) : lower === RESERVED_ELSEWHERE;
}

export const ALIAS_LENGTH = { min: 3, max: 16 } as const;
const ALIAS_FORM = /^[A-Za-z0-9_-]+$/;

/** Why an alias cannot be had, in the order of docs/contract.md#5.5. */
export type AliasObjection = 'length' | 'format' | 'emoji_policy' | 'reserved';

/** Longer aliases are cut, not refused (docs/contract.md#5.1). */
export function cutAlias(text: string): string {
  return text.slice(0, ALIAS_LENGTH.max);
}

/** The alias that is stored for an asked one of v1: emoji are never cut (docs/contract.md#31.4). */
export function storedAlias(text: string): string {
  return shapeEmojiAlias(text) ?? cutAlias(text);
}

/** Says that the alias of a link is not the whole of the asked one; undefined where it is. */
export function cutHint(requested: string | null | undefined): string | undefined {
  if (requested == null || requested.length <= ALIAS_LENGTH.max) return undefined;
  if (shapeEmojiAlias(requested) !== null) return undefined;
  return `An alias has at most ${ALIAS_LENGTH.max} characters: it was cut to ${cutAlias(requested)}`;
}

/** The first objection to an alias of letters as it stands, null when there is none. */
export function aliasObjection(
  alias: string,
  domainId: string | null = null,
): AliasObjection | null {
  if (alias.length < ALIAS_LENGTH.min || alias.length > ALIAS_LENGTH.max) return 'length';
  if (!ALIAS_FORM.test(alias)) return 'format';
  return isReserved(toKey(domainId, alias)) ? 'reserved' : null;
}

/** The same for v1, where emoji can be an alias too. */
export function v1AliasObjection(alias: string, domainId: string | null): AliasObjection | null {
  if (!hasEmoji(alias)) return aliasObjection(alias, domainId);
  return shapeEmojiAlias(alias) === null ? 'emoji_policy' : null;
}

/** The fault in the shape of a requested alias, judged by its cut value; null without one. */
export function aliasShapeProblem(text: string): string | null {
  if (hasEmoji(text)) {
    return shapeEmojiAlias(text) === null
      ? 'may be 1 to 15 single emoji, without flags, keycaps, joined ones and letters'
      : null;
  }
  const alias = cutAlias(text);
  if (alias.length < ALIAS_LENGTH.min) return `must have at least ${ALIAS_LENGTH.min} characters`;
  return ALIAS_FORM.test(alias)
    ? null
    : 'may contain only letters, digits, hyphens and underscores';
}

/** Whether an import may have stored it, as it stands (docs/contract.md#22.3). */
export function isImportedForm(text: string): boolean {
  const rest = text.replaceAll(/[A-Za-z0-9._~-]/g, '');
  return text.length > 0 && text.length <= MAX_ALIAS_LENGTH && (rest === '' || hasEmoji(rest));
}

/**
 * The alias that is asked for in place of another one, as it is stored: the present one passes as it
 * stands, uncut.
 *
 * @throws UnprocessableError
 */
export function aliasAfter(requested: string, present: string): string {
  if (withoutVariation(requested) === present) return present;
  const problem = aliasShapeProblem(requested);
  if (problem !== null) throw UnprocessableError.forField('alias', problem);
  return storedAlias(requested);
}

/** 400 for a reserved alias (docs/contract.md#5.3). */
export function refuseReserved(key: string): void {
  if (!isReserved(key)) return;
  throw new BadRequestError(`The alias ${placeOfKey(key).alias} is reserved`, 'alias');
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** A random alias of letters and digits (docs/contract.md#5.3). */
export function randomAlias(length: number): string {
  return Array.from({ length }, () => LETTERS[randomInt(LETTERS.length)]).join('');
}

/** Emoji for generated aliases: one code point each, friendly, and old enough to be drawn everywhere. */
export const EMOJI: readonly string[] = Array.from(
  '🌰🌱🌲🌳🌴🌵🌷🌸🌹🌺🌻🌼🌽🌾🌿🍀🍁🍂🍃🍄🍅🍆🍇🍈🍉🍊🍋🍌🍍🍎🍏🍐' +
    '🍑🍒🍓🍔🍕🍖🍗🍘🍙🍚🍛🍜🍝🍞🍟🍠🍡🍢🍣🍤🍥🍦🍧🍨🍩🍪🍫🍬🍭🍮🍯🍰' +
    '🍱🍲🍳🍴🍵🎀🎂🎃🎄🎆🎇🎈🎉🎊🎋🎍🎎🎏🎐🎑🎒🎓🎠🎡🎢🎣🎤🎥🎦🎧🎨🎸' +
    '🎹🎺🎻🎼🎽🎾🎿🏀🏆🏈🏉🏠🏡🏢🏨🏫🏭🏮🏰🐁🐂🐃🐄🐅🐆🐇🐈🐉🐊🐋🐌🐎' +
    '🐏🐐🐑🐒🐓🐔🐕🐖🐗🐘🐙🐚🐛🐜🐝🐞🐟🐠🐡🐢🐣🐤🐥🐦🐧🐨🐩🐪🐫🐬🐮🐯' +
    '🐰🐱🐲🐳🐴🐵🐶🐷🐸🐹🐺🐻🐼🐽🐾👑👟💎💡📚🔑🔔🔥🔧🔨🔭🔮😀😁😂😃😄' +
    '😅😆😇😈😉😊😋😌😍😎😏🚀🚁🚂🚃🚄🚅🚆🚇🚈🚉🚊🚐🚕🚖🚗🚘🚙🚚🚛🚜🥐' +
    '🥑🥒🥓🥔🥕🥖🥗🥘🥙🥚🥛🥜🥝🥞🦀🦁🦂🦃🦄🦅🦆🦇🦈🦉🦊🦋🦌🦍🦎🦏🦐🦑',
);
const GENERATED_EMOJI = 3;

/** A random alias of three emoji (docs/contract.md#13.2). */
export function randomEmojiAlias(): string {
  return Array.from({ length: GENERATED_EMOJI }, () => EMOJI[randomInt(EMOJI.length)]).join('');
}

/** How aliases are made where none is asked for. */
export interface AliasSource {
  readonly tries: number;
  next(): string;
}

/** docs/contract.md#5.3: 7 letters or digits, 10 tries. */
export const V1_ALIASES: AliasSource = { tries: 10, next: () => randomAlias(7) };
/** docs/contract.md#13.2: 3 emoji. */
export const EMOJI_ALIASES: AliasSource = { tries: 20, next: randomEmojiAlias };
