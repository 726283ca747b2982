import fc from 'fast-check';
import { DASHBOARD, landingPath } from './landing-path';

describe('the landing path', () => {
  it.each(['/', '/a', '/a//b', '/a?next=//b', '/%09/b', '/a\\b', '/ü'])('keeps %s', (next) => {
    expect(landingPath(next)).toBe(next);
  });

  it.each([
    undefined,
    null,
    5,
    ['/a', '/b'],
    { toString: () => '/a' },
    '',
    'a',
    ' /a',
    '//a',
    '/\\a',
    '/\t/a',
    '/a\r\nSet-Cookie: x=y',
    '/a\u0000',
    '/a\u0085',
    '/\ud800',
    'https://a.test/',
    `/${'a'.repeat(2048)}`,
  ])('makes the dashboard of %j', (next) => {
    expect(landingPath(next)).toBe(DASHBOARD);
  });

  it('stays on the site whatever it is given', () => {
    const parts = fc.constantFrom(
      '/',
      '\\',
      '.',
      '@',
      ':',
      '\t',
      '\n',
      'evil.test',
      '?',
      '#',
      '%2f',
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 8 }), (list) => {
        const landing = new URL(landingPath(`/${list.join('')}`), 'https://site.test/oauth/x');
        expect(landing.origin).toBe('https://site.test');
      }),
      { numRuns: 2000 },
    );
  });
});
