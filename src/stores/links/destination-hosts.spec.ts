import { NO_DESTINATIONS } from '../../destinations/destinations';
import {
  addressesOfLink,
  hostOfAddress,
  hostOfStored,
  toStoredHosts,
  toStoredHost,
} from './destination-hosts';

const PLAIN = {
  longUrl: 'https://www.Example.com./x',
  preStartUrl: null,
  expiredRedirectUrl: null,
  destinations: NO_DESTINATIONS,
};

describe('the destination hosts of a link', () => {
  it.each([
    ['https://WWW.Example.com.:8080/x', 'www.example.com'],
    ['https://user@xn--mnchen-3ya.example', 'xn--mnchen-3ya.example'],
    ['https://münchen.example/', 'xn--mnchen-3ya.example'],
    ['http://0x7f.1/', '127.0.0.1'],
    ['http://[2001:DB8::1]/', '[2001:db8::1]'],
    ['myapp://Evil.example/', 'evil.example'],
    ['mailto:x@evil.example', ''],
    ['https://', ''],
  ])('%s: %j', (address, host) => {
    expect(hostOfAddress(address)).toBe(host);
  });

  it.each(['www.example.com', 'intranet', '192.0.2.7', '[2001:db8::1]'])(
    'are stored in a form that can be read back: %s',
    (host) => expect(hostOfStored(toStoredHost(host))).toBe(host),
  );

  it('begin with the same text if one host is equal to or contains the other', () => {
    const stored = toStoredHost('example.com');
    const others = ['example.com', 'a.b.example.com', 'notexample.com', 'example.com.de', 'com'];
    expect(others.map((host) => toStoredHost(host).startsWith(stored))).toEqual([
      ...[true, true, false, false, false],
    ]);
  });

  it('include the hosts of all destinations, each once', () => {
    const when = [{ field: 'os', values: ['iOS'] }] as const;
    const link = {
      longUrl: 'https://a.example/1',
      preStartUrl: 'https://b.example/',
      expiredRedirectUrl: 'https://c.example/',
      destinations: {
        rules: [
          { when, to: 'https://d.example/' },
          { when, to: 'mailto:x@y.example' },
        ],
        geoRules: { DE: 'https://e.example/', FR: 'https://a.example/2' },
        abVariants: [{ url: 'https://f.example/', weight: 10 }],
      },
    };
    expect(addressesOfLink(link)).toHaveLength(8);
    expect(toStoredHosts(link)).toEqual(
      ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `example.${name}.`),
    );
    expect(toStoredHosts(PLAIN)).toEqual(['com.example.www.']);
    const long = `https://${'a.'.repeat(200)}example/`;
    expect(toStoredHosts({ ...PLAIN, longUrl: long })).toEqual([]);
  });
});
