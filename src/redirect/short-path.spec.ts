import { readShortPath } from './short-path';

describe('the path of a short link', () => {
  it.each([
    ['/abc', 'abc', ''],
    ['/abc/', 'abc', ''],
    ['/abc?utm_source=x', 'abc', 'utm_source=x'],
    ['/%61bc', 'abc', ''],
    ['/%F0%9F%9A%80', '🚀', ''],
    ['/%E2%9D%A4%EF%B8%8F', '❤', ''],
    ['/a?b?c', 'a', 'b?c'],
    ['/sitemap.xml', 'sitemap.xml', ''],
    ['/.~a', '.~a', ''],
    ['/...', '...', ''],
    [`/${'a'.repeat(128)}`, 'a'.repeat(128), ''],
  ])('%s contains the alias %s', (url, alias, query) => {
    expect(readShortPath(url)).toEqual({ kind: 'alias', alias, query });
  });

  it.each([
    '/',
    '/?x',
    '/api',
    '/health',
    '/docs/',
    '/abc+',
    '/a/b',
    '//abc',
    '/static/x.css',
    '/robots.txt',
    '/favicon.ico',
    '/.well-known/security.txt',
    '*',
  ])('%s is left to Nest', (url) => {
    expect(readShortPath(url).kind).toBe('other');
  });

  it.each([
    '/%00',
    '/%ff',
    '/%',
    '/a%2Fb',
    '/.',
    '/..',
    '/%2e%2E',
    '/a:b',
    '/' + 'a'.repeat(129),
    '/' + 'a'.repeat(10_000),
    '/a%20b',
  ])('%s contains no valid alias', (url) => {
    expect(readShortPath(url).kind).toBe('impossible');
  });
});
