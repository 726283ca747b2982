import type { IncomingMessage } from 'node:http';
import { wantsJson } from './error-response';

const json = (url: string, headers: Record<string, string> = {}): boolean =>
  wantsJson({ url, headers } as IncomingMessage);

describe('the format of an error response', () => {
  it.each([
    '/api/v1/urls',
    '/auth/login',
    '/AUTH/me',
    '/oauth/providers',
    '/oauth/providers/google/unlink',
    '/health',
    '/metric',
  ])('is always JSON on %s', (url) => expect(json(url, { accept: 'text/html' })).toBe(true));

  it.each([
    '/abc',
    '/abc/password',
    '/abc+',
    '/result/abc',
    '/oauth/google/callback',
    '/apix',
    '/a/b/c',
  ])('is a page on %s unless the client requests JSON', (url) => {
    expect(json(url)).toBe(false);
    expect(json(url, { accept: 'text/html' })).toBe(false);
    expect(json(url, { accept: 'application/json' })).toBe(true);
    expect(json(url, { 'content-type': 'application/json; charset=utf-8' })).toBe(true);
  });

  it.each(['/', '/?url=x', '/emoji', '/stats/abc', '/export/abc/csv'])(
    'is JSON on v0 path %s unless the client requests a page',
    (url) => {
      expect(json(url)).toBe(true);
      expect(json(url, { accept: 'text/html,*/*' })).toBe(false);
    },
  );
});
