import { membersOf, shownValues } from './statistics-query';

describe('Merged values', () => {
  const shown = (dimension: 'referrer' | 'browser', value: string) =>
    shownValues({ merged: true }, dimension)?.get(value);

  it.each([
    ['https://m.facebook.com', 'https://facebook.com'],
    ['http://lm.facebook.com', 'https://facebook.com'],
    ['https://www.youtube.com', 'https://youtube.com'],
    ['https://t.co', 'https://x.com'],
    ['https://mobile.twitter.com', 'https://x.com'],
    ['https://x.com', 'https://x.com'],
  ])('show the known host %s as %s', (value, site) => {
    expect(shown('referrer', value)).toBe(site);
    expect(membersOf('referrer', site)).toContain(value);
  });

  it.each(['https://facebook.com.example.org', 'https://m.example.com', 'Direct'])(
    'do not include %s',
    (value) => {
      expect(shown('referrer', value)).toBeUndefined();
      expect(membersOf('referrer', value)).toEqual([value]);
    },
  );

  it('show mobile variants as their browser', () => {
    expect(shown('browser', 'Mobile Safari')).toBe('Safari');
    expect(membersOf('browser', 'Safari')).toEqual(['Safari', 'Mobile Safari']);
    expect(membersOf('browser', 'Mobile Safari')).toEqual(['Mobile Safari']);
  });

  it('are optional, and other dimensions have none', () => {
    expect(shownValues({}, 'referrer')).toBeUndefined();
    expect(shownValues({ merged: true }, 'os')).toBeUndefined();
  });
});
