import type { IncomingMessage } from 'node:http';
import type { HttpOptions } from '../config/options';
import { isOwnForm, readCookie } from './cookies';

const read = (cookie: string | undefined): string | null =>
  readCookie({ headers: { cookie } } as IncomingMessage, 'access_token');

describe('readCookie', () => {
  it.each([
    ['access_token=a.b.c', 'a.b.c'],
    ['other=1; access_token=a.b.c; last=2', 'a.b.c'],
    [' access_token = a.b.c ;', 'a.b.c'],
    ['access_token=first; access_token=second', 'first'],
    ['access_token=a=b', 'a=b'],
    ['access_token=%41', '%41'],
    ['access_token="quoted"', '"quoted"'],
    ['flag; access_token=x', 'x'],
  ])('reads from %j the value %j exactly as sent', (header, value) => {
    expect(read(header)).toBe(value);
  });

  it.each([undefined, '', 'access_token', 'access_token=', 'my_access_token=x', '=x'])(
    'finds no value in %j',
    (header) => {
      expect(read(header)).toBeNull();
    },
  );

  it('reads no value from the prototype of an object', () => {
    const request = { headers: { cookie: 'a=b' } } as IncomingMessage;
    expect(readCookie(request, '__proto__')).toBeNull();
    expect(readCookie(request, 'constructor')).toBeNull();
  });
});

describe('A form from this site', () => {
  const http = { baseUrl: 'https://go.example', corsOrigins: ['https://app.example'] };
  const isOwn = (headers: Record<string, string>) =>
    isOwnForm({ headers } as unknown as IncomingMessage, http as unknown as HttpOptions);

  it.each([
    [{ origin: 'https://go.example' }, true],
    [{ origin: 'https://go.example', 'sec-fetch-site': 'cross-site' }, true],
    [{}, true],
    [{ 'sec-fetch-site': 'same-origin' }, true],
    [{ 'sec-fetch-site': 'none' }, true],
    [{ 'sec-fetch-site': 'cross-site' }, false],
    [{ 'sec-fetch-site': 'same-site' }, false],
    [{ origin: 'https://app.example' }, false],
    [{ origin: 'http://go.example' }, false],
    [{ origin: 'https://go.example.evil.example' }, false],
    [{ origin: 'null' }, false],
    [{ origin: '' }, false],
  ])('with the headers %j is accepted: %j', (headers, own) =>
    expect(isOwn(headers as Record<string, string>)).toBe(own),
  );
});
