import { withoutVariation } from '../../stores/links/alias-form';

export const MAX_EMOJI = 15;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** One emoji, optionally with a skin tone; excludes joined sequences, flags and keycaps. */
const SINGLE = /^(?!\p{Emoji_Component})(?:\p{Emoji}|\p{Emoji_Modifier_Base}\p{Emoji_Modifier})$/u;

/** Includes emoji that no alias may contain: joined ones, flags, keycaps, lone skin tones. */
const ANY_EMOJI =
  /[\p{Extended_Pictographic}\p{Emoji_Presentation}\p{Regional_Indicator}\u{20e3}]/u;

/** Whether a string must be validated as an emoji alias. */
export function hasEmoji(text: string): boolean {
  return ANY_EMOJI.test(text);
}

/** The stored form (without U+FE0F); null unless the text is 1–15 single emoji. */
export function shapeEmojiAlias(text: string): string | null {
  const alias = withoutVariation(text);
  if (alias.length > MAX_EMOJI * 4) return null;
  const emoji = Array.from(graphemes.segment(alias), ({ segment }) => segment);
  const fits = emoji.length >= 1 && emoji.length <= MAX_EMOJI;
  return fits && emoji.every((character) => SINGLE.test(character)) ? alias : null;
}
