import { MAX_LOCATION_LENGTH, withForwardedQuery, withoutPassword } from './forwarded-query';

describe('a forwarded query', () => {
  it.each([
    ['nothing', 'https://a.example/', '', 'https://a.example/'],
    ['pairs as they came', 'https://a.example/', 'b=%20+&a=1', 'https://a.example/?b=%20+&a=1'],
    [
      'behind the query that is there',
      'https://a.example/?x=1',
      'y=2',
      'https://a.example/?x=1&y=2',
    ],
    ['into an empty query', 'https://a.example/?', 'y=2', 'https://a.example/?y=2'],
    [
      'before the fragment',
      'https://a.example/p#top?x=1',
      'x=2',
      'https://a.example/p?x=2#top?x=1',
    ],
    [
      'into an empty query before one',
      'https://a.example?#top',
      'x=2',
      'https://a.example?x=2#top',
    ],
    [
      'what the destination lacks',
      'https://a.example?x=1',
      'x=2&y=3&x=4',
      'https://a.example?x=1&y=3',
    ],
    ['a name that is there without a value', 'https://a.example?x', 'x=2', 'https://a.example?x'],
    [
      'a name by what it decodes to',
      'https://a.example?a%20b=1',
      'a+b=2&%61+b=3',
      'https://a.example?a%20b=1',
    ],
    [
      'names with a space or plus',
      'https://a.example?a%2Bb=1',
      'a+b=2',
      'https://a.example?a%2Bb=1&a+b=2',
    ],
    ['names in another case', 'https://a.example?x=1', 'X=2', 'https://a.example?x=1&X=2'],
    ['a name that comes twice', 'https://a.example', 'x=1&x=2', 'https://a.example?x=1&x=2'],
    ['a pair without a value', 'https://a.example', 'x&y=', 'https://a.example?x&y='],
    ['never one without a name', 'https://a.example', '&=1&&x=1&=', 'https://a.example?x=1'],
    ['never a password or qr', 'https://a.example', 'password=p&qr=1&x=1', 'https://a.example?x=1'],
    ['neither of them escaped', 'https://a.example', '%70assword=p&q%72', 'https://a.example'],
    [
      'others that begin so',
      'https://a.example',
      'qrs=1&passwords=2',
      'https://a.example?qrs=1&passwords=2',
    ],
    [
      'broken escapes',
      'https://a.example?%zz=1',
      '%zz=2&%=3&%f=4',
      'https://a.example?%zz=1&%=3&%f=4',
    ],
    [
      'bytes that are not UTF-8',
      'https://a.example?%E4=1',
      '%F6=2&%e4=3',
      'https://a.example?%E4=1&%F6=2',
    ],
    ['raw bytes, escaped', 'https://a.example', 'x=\u00c3\u00a4', 'https://a.example?x=%C3%A4'],
    [
      'raw bytes of a name that is there',
      'https://a.example?%C3%A4=1',
      '\u00c3\u00a4=2',
      'https://a.example?%C3%A4=1',
    ],
    [
      'a hash, which would end the query',
      'https://a.example#top',
      'x=1#b',
      'https://a.example?x=1%23b#top',
    ],
    ['no end of a line', 'https://a.example', 'x=\r\ny', 'https://a.example?x=%0D%0Ay'],
    ['a question mark', 'https://a.example', 'x=?&?y=1', 'https://a.example?x=?&?y=1'],
  ])('accepts %s', (_, location, query, expected) => {
    expect(withForwardedQuery(location, query)).toBe(expected);
  });

  it('does not change a destination that would exceed the maximum length of a header', () => {
    const location = 'https://a.example/?x=1#top';
    const room = MAX_LOCATION_LENGTH - location.length - '&y='.length;
    const fitting = withForwardedQuery(location, `y=${'v'.repeat(room)}`);
    expect(fitting).toHaveLength(MAX_LOCATION_LENGTH);
    expect(withForwardedQuery(location, `y=${'v'.repeat(room + 1)}`)).toBe(location);
    // The length limit applies to the percent-encoded form of raw bytes.
    expect(withForwardedQuery(location, `y=${'\u00e4'.repeat(room / 2)}`)).toBe(location);
  });
});

describe('a query without its password', () => {
  it.each([
    ['a=1&password=p&b=2', 'a=1&b=2'],
    ['%70assword=p', ''],
    ['a&qr=1', 'a&qr=1'],
  ])('of %s is %s', (query, left) => {
    expect(withoutPassword(query)).toBe(left);
  });
});
