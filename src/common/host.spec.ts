import type { IncomingMessage } from 'node:http';
import { hostName, isHost, settleHost } from './host';

/** Host header values and the resulting name; null if the value is rejected. */
const HOSTS: readonly (readonly [string, string | null])[] = [
  ['go.example.com', 'go.example.com'],
  ['GO.EXAMPLE.COM', 'go.example.com'],
  ['Go.Example.Com.', 'go.example.com'],
  ['go.example.com:80', 'go.example.com'],
  ['go.example.com:', 'go.example.com'],
  ['go.example.com.:8000', 'go.example.com'],
  ['GO.example.com.:443', 'go.example.com'],
  ['go.example.com:65535', 'go.example.com'],
  ['go.example.com:0', 'go.example.com'],
  ['go.example.com..', 'go.example.com.'],
  ['.go.example.com', '.go.example.com'],
  ['go..example.com', 'go..example.com'],
  ['a.go.example.com', 'a.go.example.com'],
  ['go.example.com.evil.test', 'go.example.com.evil.test'],
  ['xn--mnchen-3ya.example', 'xn--mnchen-3ya.example'],
  ['XN--MNCHEN-3YA.example', 'xn--mnchen-3ya.example'],
  ['m%C3%BCnchen.example', 'm%c3%bcnchen.example'],
  ['go%2Eexample.com', 'go%2eexample.com'],
  ['go.example.com%00', 'go.example.com%00'],
  ['%67o.example.com', '%67o.example.com'],
  ['localhost:8000', 'localhost'],
  ['a_b.example', 'a_b.example'],
  ['192.0.2.1:80', '192.0.2.1'],
  ['127.1', '127.1'],
  ['0x7f.0.0.1', '0x7f.0.0.1'],
  ['2130706433', '2130706433'],
  ['[::1]', '[::1]'],
  ['[2001:DB8::1]:8000', '[2001:db8::1]'],
  ['[v1.fe80::a+en1]', '[v1.fe80::a+en1]'],
  [`${'a'.repeat(300)}.example`, `${'a'.repeat(300)}.example`],
  ['a;b', 'a;b'],
  ['-', '-'],
  ['.', ''],
  ['', null],
  [' ', null],
  ['a b', null],
  ['a\tb', null],
  ['a/b', null],
  ['go.example.com/abc', null],
  ['go.example.com\\abc', null],
  ['a,b', null],
  ['go.example.com,other.example', null],
  ['go.example.com, other.example', null],
  ['http://a', null],
  ['//go.example.com', null],
  ['user@a', null],
  ['user:pass@go.example.com', null],
  ['a:x', null],
  ['a:http', null],
  ['a:65536', null],
  ['a:99999999999999999999', null],
  ['a:-1', null],
  ['a:+80', null],
  ['a:8 0', null],
  ['a:1:2', null],
  ['::1', null],
  ['[::1', null],
  ['::1]', null],
  ['[::1]x', null],
  ['[::1]:x', null],
  ['[[::1]]', null],
  ['[::1%25eth0]', null],
  ['[go.example.com]', null],
  [':80', null],
  ['a%zz', null],
  ['a%4', null],
  ['a?b', null],
  ['a#b', null],
  ['a"b', null],
  ['<script>', null],
  ['a|b', null],
  ['a^b', null],
  ['{a}', null],
  ['a`b', null],
  ['a\0', null],
  ['a\r\nb', null],
  ['a\x7f', null],
  ['m\u00fcnchen.example', null],
  ['m\u00c3\u00bcnchen.example', null],
  ['go.example.com\u3002', null],
  ['\u212agoogle.com', null],
];

describe('A Host header', () => {
  it.each(HOSTS)(
    'with the value %j means the host %j, also on the second request',
    (text, name) => {
      for (let time = 0; time < 2; time++) {
        expect(isHost(text)).toBe(name !== null);
        if (name !== null) expect(hostName(text)).toBe(name);
      }
    },
  );
});

describe('A request', () => {
  function settled(target: string, httpVersion: string, ...lines: [string, string][]) {
    const host = lines[0]?.[1];
    const request = {
      url: target,
      httpVersion,
      headers: host === undefined ? {} : { host },
      rawHeaders: lines.flat(),
    } as unknown as IncomingMessage;
    return settleHost(request) ? { host: request.headers.host, url: request.url } : null;
  }
  const valid = (httpVersion: string, ...lines: [string, string][]): boolean =>
    settled('/', httpVersion, ...lines) !== null;

  it('needs one Host header, which may be empty', () => {
    expect(valid('1.1', ['Host', 'a'])).toBe(true);
    expect(valid('1.1', ['HOST', ''])).toBe(true);
    expect(valid('1.1')).toBe(false);
    expect(valid('1.1', ['Host', 'a'], ['host', 'a'])).toBe(false);
    expect(valid('1.1', ['Host', ''], ['host', ''])).toBe(false);
    expect(valid('1.1', ['Host', 'a'], ['X', 'y'], ['hOsT', 'b'])).toBe(false);
  });

  it('in HTTP/1.0 needs no Host header, but may have one', () => {
    expect(valid('1.0')).toBe(true);
    expect(valid('1.0', ['Host', 'a'], ['Host', 'b'])).toBe(false);
    expect(valid('1.0', ['Host', 'a b'])).toBe(false);
  });

  it.each([
    ['http://b/abc', 'b', '/abc'],
    ['HTTP://B.example:8000/abc?d=e', 'B.example:8000', '/abc?d=e'],
    ['https://b', 'b', '/'],
    ['http://b?x', 'b', '/?x'],
    ['http://b/abc#d', 'b', '/abc'],
    ['http://b//c/d', 'b', '//c/d'],
    ['ftp://b/c', 'b', '/c'],
    ['http://[::1]:80/c', '[::1]:80', '/c'],
    ['//b/abc', 'a', '//b/abc'],
    ['/http://b/abc', 'a', '/http://b/abc'],
    ['*', 'a', '*'],
  ])('for %s requests %s from %s', (target, host, url) => {
    expect(settled(target, '1.1', ['Host', 'a'])).toEqual({ host, url });
  });

  it.each([
    'http:///abc',
    'http://u@b/',
    'http://b:x/',
    'http://b,c/',
    'http://b c/',
    'abc',
    'a:80',
  ])('for %s contains no host', (target) =>
    expect(settled(target, '1.1', ['Host', 'a'])).toBeNull(),
  );

  it('is rejected for its Host header even if its target contains a host', () => {
    expect(settled('http://b/abc', '1.1', ['Host', 'a b'])).toBeNull();
    expect(settled('http://b/abc', '1.1')).toBeNull();
    expect(settled('http://b/abc', '1.0')).toEqual({ host: 'b', url: '/abc' });
  });
});
