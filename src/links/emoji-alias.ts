import { withoutVariation } from '../stores/links/alias-form';

export const MAX_EMOJI = 15;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * One emoji, perhaps with a skin tone. Digits, `#`, `*`, regional indicators, lone skin tones and
 * joiners are components of others and no emoji by themselves; so sequences joined by them, flags
 * and keycaps do not match.
 */
const SINGLE = /^(?!\p{Emoji_Component})(?:\p{Emoji}|\p{Emoji_Modifier_Base}\p{Emoji_Modifier})$/u;

/** Also of emoji that no alias may have: joined ones, flags, keycaps, skin tones by themselves. */
const ANY_EMOJI =
  /[\p{Extended_Pictographic}\p{Emoji_Presentation}\p{Regional_Indicator}\u{20e3}]/u;

/** Whether a text is to be judged as an emoji alias, good or not. */
export function hasEmoji(text: string): boolean {
  return ANY_EMOJI.test(text);
}

/** The stored form of a requested emoji alias (without U+FE0F), null unless it is 1–15 single emoji. */
export function shapeEmojiAlias(text: string): string | null {
  const alias = withoutVariation(text);
  if (alias.length > MAX_EMOJI * 4) return null;
  const emoji = Array.from(graphemes.segment(alias), ({ segment }) => segment);
  const fits = emoji.length >= 1 && emoji.length <= MAX_EMOJI;
  return fits && emoji.every((character) => SINGLE.test(character)) ? alias : null;
}
