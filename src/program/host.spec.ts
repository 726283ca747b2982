import type { IncomingMessage } from 'node:http';
import { hasValidHost, isHost } from './host';

describe('A Host line', () => {
  it.each([
    'go.example.com',
    'localhost:8000',
    'a_b.example',
    '192.0.2.1:80',
    '[::1]',
    '[2001:db8::1]:8000',
    'example.com:',
    'm%C3%BCnchen.example',
  ])('may say %s, also again', (text) => {
    expect(isHost(text)).toBe(true);
    expect(isHost(text)).toBe(true);
  });

  it.each([
    '',
    'a b',
    'a/b',
    'http://a',
    'user@a',
    'a:x',
    'a:65536',
    'a:1:2',
    '[::1',
    '::1',
    'm\u00fcnchen.example',
    'a%zz',
    'a?b',
    'a#b',
    ':80',
    '<script>',
    'a\\b',
  ])('may not say %j', (text) => expect(isHost(text)).toBe(false));
});

describe('A request', () => {
  const valid = (httpVersion: string, ...lines: [string, string][]): boolean =>
    hasValidHost({
      httpVersion,
      headers: { host: lines[0]?.[1] },
      rawHeaders: lines.flat(),
    } as unknown as IncomingMessage);

  it('needs one Host line', () => {
    expect(valid('1.1', ['Host', 'a'])).toBe(true);
    expect(valid('1.1')).toBe(false);
    expect(valid('1.1', ['Host', 'a'], ['host', 'a'])).toBe(false);
    expect(valid('1.1', ['HOST', ''])).toBe(false);
  });

  it('of HTTP/1.0 needs none, but has at most one', () => {
    expect(valid('1.0')).toBe(true);
    expect(valid('1.0', ['Host', 'a'], ['Host', 'b'])).toBe(false);
    expect(valid('1.0', ['Host', 'a b'])).toBe(false);
  });
});
