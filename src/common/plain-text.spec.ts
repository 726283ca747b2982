import fc from 'fast-check';
import { composed, firstCodePoints, textProblem } from './plain-text';

const LINE = { max: 5 };
const LINES = { max: 5, lines: true };

describe('a text for people', () => {
  it.each([
    ['letters', 'abcde'],
    ['code points, not code units', '😀😀😀😀😀'],
    ['marks, which count', 'e\u0301e\u0301e'],
    ['markup and formulas', '<b>=1'],
    ['joiners, which emoji and scripts need', 'a\u200d\u200cb'],
    ['marks that turn nothing round', 'a\u200e\u200fb'],
    ['other white space', 'a\u00a0\u3000b'],
    ['joined emoji', '👨\u200d👩\u200d👧'],
    ['a variant of an emoji', '❤\ufe0f'],
    ['marks alone', '\u0301'],
    ['private characters', '\ue000'],
  ])('may have %s', (_, text) => {
    expect(textProblem(text, LINE)).toBeNull();
    expect(textProblem(text, LINES)).toBeNull();
  });

  it.each([
    ['nothing', ''],
    ['one letter too many', 'abcdef'],
    ['one code point too many', '😀😀😀😀😀😀'],
    ['a zero', 'a\0'],
    ['an escape', '\u001b[1m'],
    ['DEL', 'a\u007f'],
    ['C1', 'a\u0085b'],
    ['the end of C1', 'a\u009f'],
    ['a line separator', 'a\u2028b'],
    ['a paragraph separator', 'a\u2029b'],
    ['an embedding', '\u202aa'],
    ['an override', '\u202ea'],
    ['an isolate', '\u2066a'],
    ['the end of an isolate', 'a\u2069'],
    ['half a character', 'a\ud83d'],
    ['the other half', '\ude00a'],
    ['halves the wrong way round', '\ude00\ud83d'],
    ['a space of no width alone', '\u200b'],
    ['joiners alone', '\u200d\u200c'],
    ['an empty mark of direction alone', '\u200e'],
    ['a byte order mark alone', '\ufeff'],
    ['a soft hyphen alone', '\u00ad'],
    ['a variation selector alone', '\ufe0f'],
    ['fillers alone', '\u3164\u115f'],
    ['an empty Braille pattern alone', '\u2800'],
    ['tags without an emoji', '\u{e0067}\u{e007f}'],
  ])('may not have %s', (_, text) => {
    expect(textProblem(text, LINE)).not.toBeNull();
    expect(textProblem(text, LINES)).not.toBeNull();
  });

  it.each(['a\tb', 'a\nb', 'a\r\nb'])(
    'may contain tabs and line breaks only if allowed: %j',
    (text) => {
      expect(textProblem(text, LINE)).toContain('one line');
      expect(textProblem(text, LINES)).toBeNull();
    },
  );

  it('is measured in code points', () => {
    const texts = fc.string({ unit: 'binary', maxLength: 12 }).filter((text) => text !== '');
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 12 }), (text, max) => {
        const points = Array.from(text);
        const bad = points.some((point) =>
          /^[\p{Cc}\p{Surrogate}\u2028\u2029\u202a-\u202e\u2066-\u2069]$/u.test(point),
        );
        const isSeen = /[^\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u.test(text);
        const isSound = !bad && isSeen && points.length <= max;
        expect(textProblem(text, { max }) === null).toBe(isSound);
        expect(firstCodePoints(text, max)).toBe(points.slice(0, max).join(''));
      }),
    );
  });
});

describe('text normalisation', () => {
  it('converts text to NFC unless that would take too long', () => {
    expect(composed('e\u0301 \u212b plain')).toBe('é Å plain');
    expect(composed('plain')).toBe('plain');
    const heap = `a${'\u0301\u0323'.repeat(20)}`;
    expect(composed(heap)).toBe(heap);
    expect(composed(`e${'\u0301'.repeat(30)}`)).toBe(`é${'\u0301'.repeat(29)}`);
  });
});
