import { ALIAS_LENGTH } from '../../../src/links/making/alias';
import { MAX_URL_LENGTH } from '../../../src/links/making/destination';
import { isComposedWell, LINK_PASSWORD_LENGTH } from '../../../src/links/making/link-password';
import {
  EMPTY_LINK,
  type LinkDraft,
  problemOfUrl,
  problemsOfLink,
  problemsOfTyping,
  RULES,
} from '../../../web/parts/link-problems';

const SITE = 'https://go.example';
const NOW = Date.parse('2026-11-25T12:00:00Z');
const problems = (draft: Partial<LinkDraft>, before = EMPTY_LINK) =>
  problemsOfLink({ ...before, ...draft }, before, SITE, NOW);

describe('form checks of a link before submission', () => {
  it("follow the service's rules", () => {
    expect(RULES).toEqual({
      longestUrl: MAX_URL_LENGTH,
      alias: ALIAS_LENGTH,
      password: LINK_PASSWORD_LENGTH,
      longestTitle: 200,
      longestNote: 2000,
      longestUtm: 100,
    });
    for (const password of [
      'blue.sky7',
      'bluesky77',
      'blue..sky7',
      'blue.skyy',
      '12345.78',
      'a@1bcdef',
    ]) {
      expect([
        password,
        problems({ long_url: 'x.example', password })['password'] === undefined,
      ]).toEqual([password, isComposedWell(password)]);
    }
  });

  it('report all invalid fields together', () => {
    const found = problems({
      long_url: 'ftp://example.com',
      alias: 'ä!',
      expire: '2020-01-01T00:00',
      max_clicks: '0',
      password: 'short',
    });
    expect(Object.keys(found).sort()).toEqual([
      'alias',
      'expire_after',
      'long_url',
      'max_clicks',
      'password',
    ]);
  });

  it.each([
    ['', /Enter or paste/],
    ['nonsense', /not a web address/],
    ['mailto:ada@example.com', /web pages/],
    ['https://go.example/other', /back to this service/],
    ['https://a.example https://b.example', /two addresses/],
    ['https://a.example\n\thttp://b.example', /two addresses/],
    ['a.example https://b.example', /two addresses/],
    [`https://a.example/${'x'.repeat(MAX_URL_LENGTH)}`, /2,066 characters. Use at most 2,048/],
  ])('explain why the destination %j is rejected', (typed, words) => {
    expect(problemOfUrl(typed, SITE)).toMatch(words);
  });

  it.each([
    'example.com/page',
    ' https://example.com/ ',
    'https://bücher.example/straße?q=a b',
    'https://web.example/archive/https://example.com/',
    `https://a.example/${'x'.repeat(MAX_URL_LENGTH - 18)}`,
  ])('accept the destination %j', (typed) => {
    expect(problemOfUrl(typed, SITE)).toBeNull();
  });

  it('report during typing which input is too long, and cut nothing', () => {
    expect(problemsOfTyping({ alias: 'black-friday-ins' })).toEqual({});
    expect(problemsOfTyping({ alias: 'black-friday-instagram-2026' })).toEqual({
      alias: 'You have entered 27 characters. Use at most 16.',
    });
    expect(Object.keys(problemsOfTyping({ password: `a.${'1'.repeat(127)}` }))).toEqual([
      'password',
    ]);
  });

  it('accept the same emoji aliases as the service', () => {
    const refused = 'Use 1 to 15 single emoji, without flags, keycaps or letters.';
    const judged = (alias: string) => problems({ long_url: 'https://a.example', alias });
    const sixteen = '🍀'.repeat(16);
    expect(problemsOfTyping({ alias: sixteen })).toEqual({});
    for (const alias of ['🚀', '🍀'.repeat(15), '❤\ufe0f']) expect(judged(alias)).toEqual({});
    for (const alias of [sixteen, '🇩🇪', 'abc🚀']) expect(judged(alias)).toEqual({ alias: refused });
  });

  it('ignore unchanged values', () => {
    const before = {
      ...EMPTY_LINK,
      long_url: 'https://go.example/old',
      alias: 'ä',
      expire: '2020-01-01T00:00',
    };
    expect(problems({ max_clicks: '5' }, before)).toEqual({});
    expect(Object.keys(problems({ alias: '' }, before))).toEqual(['alias']);
  });
});
