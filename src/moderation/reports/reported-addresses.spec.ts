import type { HttpOptions } from '../../config/options';
import type { DomainRegistry } from '../../stores/domains/domain-registry';
import { LinkAddresses } from '../../stores/domains/link-addresses';
import { ReportedAddresses } from './reports.service';

const ID = 'd'.repeat(24);

function addressesAt(baseUrl: string): ReportedAddresses {
  const domains = new Map([
    ['links.example.net', { id: ID, status: 'active' }],
    ['xn--mnchen-3ya.test', { id: ID, status: 'active' }],
    ['asleep.example.net', { id: ID, status: 'suspended' }],
  ]);
  const registry = { find: (host: string) => domains.get(host) } as unknown as DomainRegistry;
  const http = { baseUrl } as HttpOptions;
  return new ReportedAddresses(new LinkAddresses(registry, http), http);
}

describe('The address in a report', () => {
  const addresses = addressesAt('https://go.test');

  it.each([
    ['abc', 'abc'],
    [' abc ', 'abc'],
    ['abc+', 'abc'],
    ['abc?utm_source=x/y', 'abc'],
    ['abc#part', 'abc'],
    ['a.b~c', 'a.b~c'],
    ['🚀', '🚀'],
    ['%F0%9F%9A%80', '🚀'],
    ['☎️', '☎'],
    ['go.test/abc', 'abc'],
    ['GO.test./abc', 'abc'],
    ['go.test:443/abc', 'abc'],
    ['http://go.test/abc', 'abc'],
    ['HTTPS://go.test/abc/', 'abc'],
    ['https://go.test/abc+', 'abc'],
    ['https://go.test/abc+?x', 'abc'],
    ['https://go.test/abc?next=https://evil.test/#a', 'abc'],
    ['https://go.test/abc/password?x=1', 'abc'],
    ['https://go.test/abc/qr.png', 'abc'],
    ['https://go.test/%F0%9F%9A%80+', '🚀'],
    ['https://go.test/%61bc', 'abc'],
    ['links.example.net/abc', `${ID}/abc`],
    ['http://LINKS.example.net/abc+', `${ID}/abc`],
    ['münchen.test/abc', `${ID}/abc`],
  ])('may be %j', (text, key) => {
    expect(addresses.keyFromText(text)).toBe(key);
  });

  it.each([
    '',
    ' ',
    '+',
    '?abc',
    '/',
    '/abc',
    'a b',
    'a\nb',
    'abc\u0000',
    'a'.repeat(129),
    '..',
    '%E0%A4%A',
    'https://',
    'https://go.test',
    'https://go.test/',
    'https://go.test/a/b',
    'https://go.test/abc/stats',
    'https://go.test:8443/abc',
    'https://user@go.test/abc',
    'https://go.test@evil.test/abc',
    'https://evil.test/abc',
    'evil.test/go.test/abc',
    '//go.test/abc',
    'ftp://go.test/abc',
    'mailto:go.test/abc',
    'asleep.example.net/abc',
    '<script>alert(1)</script>',
    'https://go.test/<script>',
  ])("does not identify one of the service's links: %j", (text) => {
    expect(addresses.keyFromText(text)).toBeNull();
  });

  it('may omit an unusual port', () => {
    const local = addressesAt('http://localhost:8000');
    for (const text of ['localhost:8000/abc', 'http://localhost/abc', 'localhost/abc']) {
      expect(local.keyFromText(text)).toBe('abc');
    }
    expect(local.keyFromText('links.example.net:8000/abc')).toBe(`${ID}/abc`);
    expect(local.keyFromText('localhost:8001/abc')).toBeNull();
  });
});
