import { EMOJI, randomEmojiAlias } from './alias';
import { shapeEmojiAlias } from './emoji-alias';

describe('emoji aliases', () => {
  it.each(['😀', '😀😀', '🚀🌈✨', '😀'.repeat(15), '👍🏽', '👍🏽'.repeat(15), '☀', '🏁'])(
    'accepts %s',
    (text) => {
      expect(shapeEmojiAlias(text)).toBe(text);
    },
  );

  it('ignores the variation selector, so that ❤️ and ❤ are the same alias', () => {
    expect(shapeEmojiAlias('❤\ufe0f☀\ufe0f')).toBe('❤☀');
  });

  it.each([
    ['nothing', ''],
    ['a lone variation selector', '\ufe0f'],
    ['letters', 'abc'],
    ['digits', '123'],
    ['number signs and asterisks', '#*'],
    ['an emoji with a letter', '😀a'],
    ['a family joined of several', '👨‍👩‍👧'],
    ['a coloured heart flag joined of two', '🏳️‍🌈'],
    ['a flag of two regional indicators', '🇩🇪'],
    ['a lone regional indicator', '🇩'],
    ['a flag of tags', '🏴󠁧󠁢󠁥󠁮󠁧󠁿'],
    ['a keycap', '1️⃣'],
    ['a lone skin tone', '🏽'],
    ['a skin tone behind something that has none', '🚀🏽'],
    ['a dangling joiner', '😀\u200d'],
    ['the text variation selector', '❤\ufe0e'],
    ['a half of a surrogate pair', '\ud83d'],
    ['sixteen emoji', '😀'.repeat(16)],
    ['spaces between', '😀 😀'],
    ['a right-to-left mark', '😀\u200f'],
  ])('rejects %s', (_, text) => {
    expect(shapeEmojiAlias(text)).toBeNull();
  });

  it('generates three emoji that are also valid as a requested alias', () => {
    for (let i = 0; i < 200; i++) {
      const alias = randomEmojiAlias();
      expect(shapeEmojiAlias(alias)).toBe(alias);
      expect(Array.from(alias)).toHaveLength(3);
    }
  });

  it('chooses from a list without duplicates', () => {
    expect(new Set(EMOJI).size).toBe(EMOJI.length);
    expect(EMOJI.length).toBeGreaterThanOrEqual(200);
  });
});
