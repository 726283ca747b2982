import { distinctTagNames, tagKey, tagName, tagNameProblem } from './tag';
import { TagSet } from './tag-set';

describe('the name of a tag', () => {
  it.each([
    ['  Spring\u00a0 \tsale\n', 'Spring sale', 'spring sale'],
    ['e\u0301TE\u0301', 'éTÉ', 'été'],
    ['STRASSE', 'STRASSE', 'strasse'],
    ['<b>', '<b>', '<b>'],
    ['__proto__', '__proto__', '__proto__'],
    ['none', 'none', 'none'],
    ['ne\u00adws\u200b', 'ne\u00adws\u200b', 'news'],
    ['👨\u200d👩\u200d👧', '👨\u200d👩\u200d👧', '👨👩👧'],
    ['❤\ufe0f', '❤\ufe0f', '❤'],
    [
      '🏴\u{e0067}\u{e0062}\u{e007f}',
      '🏴\u{e0067}\u{e0062}\u{e007f}',
      '🏴\u{e0067}\u{e0062}\u{e007f}',
    ],
    [`${' '.repeat(99)}${'😀'.repeat(40)}`, '😀'.repeat(40), '😀'.repeat(40)],
  ])('%j is %j, and its key is %j', (given, name, key) => {
    expect([tagName(given), tagKey(given), tagNameProblem(given)]).toEqual([name, key, null]);
  });

  it.each([
    '',
    ' \n ',
    'a,b',
    '(none)',
    ' (NoNe) ',
    'x'.repeat(41),
    'a\u0007',
    'a\ud800',
    '\u202ea',
    '\u200b',
    ' \u2060 \ufeff',
    '(none)\u200b',
  ])('cannot be %j', (text) => {
    expect(tagNameProblem(text)).not.toBeNull();
  });

  it('is used only once, in the spelling that occurs first', () => {
    expect(distinctTagNames(['b', 'A', ' a ', 'B', 'c  d', 'C D', 'a\u200b'])).toEqual([
      'b',
      'A',
      'c d',
    ]);
  });
});

describe('the tags of an account', () => {
  const tag = (name: string, id: string) => ({
    ...{ id, name, key: name.toLowerCase(), color: 'red' as const, createdAt: new Date(0) },
  });
  const tags = new TagSet([tag('zeta', '1'), tag('Alpha', '2'), tag('__proto__', '3')]);

  it('are sorted by lower case, and found by id, key and name', () => {
    expect(tags.all.map(({ name }) => name)).toEqual(['__proto__', 'Alpha', 'zeta']);
    expect(tags.byId('2')?.name).toBe('Alpha');
    expect(tags.byKey('alpha')?.id).toBe('2');
    expect(tags.byName('ALPHA')?.id).toBe('2');
    expect(tags.byName('Alpha\u200b')?.id).toBe('2');
    expect(tags.byKey('constructor')).toBeUndefined();
    expect(tags.sortedNames(['1', 'gone', '2'])).toEqual(['Alpha', 'zeta']);
  });
});
