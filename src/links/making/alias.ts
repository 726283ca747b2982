import { randomInt } from 'node:crypto';
import { BadRequestError, UnprocessableError } from '../../common/errors';
import { FIXED_SEGMENTS } from '../../common/routes';
import {
  MAX_ALIAS_LENGTH,
  placeOfKey,
  toKey,
  withoutVariation,
} from '../../stores/links/alias-form';
import { hasEmoji, shapeEmojiAlias } from './emoji-alias';

const LISTED = `about acceptable-use acceptable-use-policy account admin api apps aup auth billing
  blog brand callback changelog contact dashboard discord docs domains emoji error export favicon
  features forgot-password geo github health help home humans icon icons-3d images keys legal links
  login logout metric oauth onboarding pricing privacy privacy-policy profile profile-pictures public
  refund refund-policy register relay report reset restore-account result robots security settings
  signin signup sitemap static statistics stats terms terms-of-service testimonials tools tos
  twitter user verify www _error _gone _next _not-found`;

/** The list in docs/contract.md#5.3, plus the first segments of all fixed routes. */
const RESERVED_ALIASES = new Set(
  [...LISTED.split(/\s+/), ...FIXED_SEGMENTS].map((alias) => alias.slice(0, 16)),
);

/** Other reserved paths on custom domains contain a dot, which aliases cannot (25.3). */
const RESERVED_ELSEWHERE = 'static';

/** @param key the alias in its stored form */
export function isReserved(key: string): boolean {
  const { domainId, alias } = placeOfKey(key);
  const lower = alias.toLowerCase();
  return domainId === null ? RESERVED_ALIASES.has(lower) : lower === RESERVED_ELSEWHERE;
}

export const ALIAS_LENGTH = { min: 3, max: 16 } as const;
const ALIAS_FORM = /^[A-Za-z0-9_-]+$/;

/** Reasons against an alias, in the order of the checks (docs/contract.md#5.5). */
export type AliasObjection = 'length' | 'format' | 'emoji_policy' | 'reserved';

/** Truncates a long alias instead of rejecting it (docs/contract.md#5.1). */
export function cutAlias(text: string): string {
  return text.slice(0, ALIAS_LENGTH.max);
}

/** Returns the stored form of an alias requested in v1. Never truncates emoji (contract 31.4). */
export function storedAlias(text: string): string {
  return shapeEmojiAlias(text) ?? cutAlias(text);
}

export const CUT_HINT = 'alias_cut';

export function cutHint(requested: string | null | undefined): typeof CUT_HINT | undefined {
  if (requested == null || requested.length <= ALIAS_LENGTH.max) return undefined;
  if (shapeEmojiAlias(requested) !== null) return undefined;
  return CUT_HINT;
}

export function aliasObjection(
  alias: string,
  domainId: string | null = null,
): AliasObjection | null {
  if (alias.length < ALIAS_LENGTH.min || alias.length > ALIAS_LENGTH.max) return 'length';
  if (!ALIAS_FORM.test(alias)) return 'format';
  return isReserved(toKey(domainId, alias)) ? 'reserved' : null;
}

export function v1AliasObjection(alias: string, domainId: string | null): AliasObjection | null {
  if (!hasEmoji(alias)) return aliasObjection(alias, domainId);
  return shapeEmojiAlias(alias) === null ? 'emoji_policy' : null;
}

/** Checks the alias after it has been truncated. */
export function aliasShapeProblem(text: string): string | null {
  if (hasEmoji(text)) {
    return shapeEmojiAlias(text) === null
      ? 'may be 1 to 15 single emoji, without flags, keycaps, joined sequences and letters'
      : null;
  }
  const alias = cutAlias(text);
  if (alias.length < ALIAS_LENGTH.min) return `must have at least ${ALIAS_LENGTH.min} characters`;
  return ALIAS_FORM.test(alias)
    ? null
    : 'may contain only letters, digits, hyphens and underscores';
}

/** Whether an import may store the alias unchanged (docs/contract.md#22.3). */
export function isImportedForm(text: string): boolean {
  const rest = text.replaceAll(/[A-Za-z0-9._~-]/g, '');
  return text.length > 0 && text.length <= MAX_ALIAS_LENGTH && (rest === '' || hasEmoji(rest));
}

/** The current alias is accepted without being cut. @throws UnprocessableError */
export function aliasAfter(requested: string, present: string): string {
  if (withoutVariation(requested) === present) return present;
  const problem = aliasShapeProblem(requested);
  if (problem !== null) throw UnprocessableError.forField('alias', problem);
  return storedAlias(requested);
}

export function refuseReserved(key: string): void {
  if (!isReserved(key)) return;
  throw new BadRequestError(`The alias ${placeOfKey(key).alias} is reserved`, 'alias');
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

export function randomAlias(length: number): string {
  return Array.from({ length }, () => LETTERS[randomInt(LETTERS.length)]).join('');
}

/** Emoji for generated aliases: single code points that all platforms display. */
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

export function randomEmojiAlias(): string {
  return Array.from({ length: GENERATED_EMOJI }, () => EMOJI[randomInt(EMOJI.length)]).join('');
}

export interface AliasSource {
  readonly tries: number;
  next(): string;
}

export const V1_ALIASES: AliasSource = { tries: 10, next: () => randomAlias(7) };
export const EMOJI_ALIASES: AliasSource = { tries: 20, next: randomEmojiAlias };
