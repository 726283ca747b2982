import fc from 'fast-check';
import { DASHBOARD, safeReturnPath } from './return-path';

describe('the path after sign-in', () => {
  it.each([
    '/',
    '/?a=/b',
    '/#top',
    '/dashboard',
    '/dashboard/links?page=2#top',
    '/dashboard//a',
    '/result/abc',
    '/stats/abc?next=//b',
  ])('is %s if that path was requested', (next) => expect(safeReturnPath(next)).toBe(next));

  it.each([
    ['/dashboard/ü', '/dashboard/%C3%BC'],
    ['/dashboard/a/../b', '/dashboard/b'],
    ['/dashboard\\a', '/dashboard/a'],
    ['/alias/../dashboard', '/dashboard'],
    ['/./stats', '/stats'],
  ])('for %s is resolved as browsers do: %s', (next, path) => {
    expect(safeReturnPath(next)).toBe(path);
  });

  it.each([
    '/alias',
    '/alias/',
    '/alias/password',
    '/alias+',
    '/alias?x=/dashboard',
    '/alias#/dashboard',
    '/dashboard/../alias',
    '/dashboard/%2e%2e/alias',
    '/dashboard/.%2E/alias',
    '/dashboard/..%2falias',
    '/dashboard/..%5Calias',
    '/dashboard%2f..%2falias',
    '/dashboard\\..\\alias',
    '/dashboard;x',
    '/dashboard.',
    '/%64ashboard',
    '/Dashboard',
    '/DASHBOARD',
    '/.//evil.test',
    '/dashboard/..//evil.test',
    '/./\\evil.test',
    '/ dashboard',
  ])('is the dashboard for %s, which may be a short link or another site', (next) => {
    expect(safeReturnPath(next)).toBe(DASHBOARD);
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
  ])('is the dashboard for %j', (next) => {
    expect(safeReturnPath(next)).toBe(DASHBOARD);
  });

  it('is on this site for any input', () => {
    const parts = fc.constantFrom(
      '/',
      '\\',
      '.',
      '@',
      ':',
      '\t',
      '\n',
      'evil.test',
      'alias',
      'stats',
      'dashboard',
      '%2e',
      '%64ashboard',
      '?',
      '#',
      '%2f',
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 8 }), (list) => {
        const landing = new URL(safeReturnPath(`/${list.join('')}`), 'https://site.test/oauth/x');
        expect(landing.origin).toBe('https://site.test');
        expect(landing.pathname).toMatch(/^\/($|dashboard|stats)/);
      }),
      { numRuns: 2000 },
    );
  });
});
