import {
  addressBytes,
  toClientKey,
  forwardedAddress,
  plainAddress,
  UNKNOWN_CLIENT,
} from './ip-address';

describe('The rate-limit key of a client', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002:0:0:0:9', '2001:db8:1:2::/64'],
    ['2001:db8:1:2:3:4:192.0.2.33', '2001:db8:1:2::/64'],
    ['2001:db8::', '2001:db8:0:0::/64'],
    ['::2001:db8:1:2', '0:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['fe80::2%eth1', 'fe80:0:0:0::/64'],
    ['1:2:3:4:5:6:7::', '1:2:3:4::/64'],
  ])('of %s is %s', (address, key) => expect(toClientKey(address)).toBe(key));

  it.each([
    '::ffff:203.0.113.7',
    '::FFFF:203.0.113.7',
    '::ffff:cb00:7107',
    '0:0:0:0:0:ffff:203.0.113.7',
    '0000:0000:0000:0000:0000:FFFF:CB00:7107',
    '::ffff:203.0.113.7%lo',
    '64:ff9b::203.0.113.7',
    '64:ff9b::cb00:7107',
  ])('of %s is the embedded IPv4 address', (address) =>
    expect(toClientKey(address)).toBe('203.0.113.7'),
  );

  it.each(['', 'unknown', 'not an address', '203.0.113.999', '203.0.113.7 ', '1::2::3', '%'])(
    'of %j, which is not an address, is the key for all invalid addresses',
    (text) => expect(toClientKey(text)).toBe(UNKNOWN_CLIENT),
  );

  it('is different for the next /64', () => {
    expect(toClientKey('2001:db8:1:2::1')).not.toBe(toClientKey('2001:db8:1:3::1'));
  });
});

describe('An entry of X-Forwarded-For', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7:4711', '203.0.113.7'],
    ['2001:db8::1', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[2001:db8::1]:4711', '2001:db8::1'],
    ['unknown', null],
    ['_hidden', null],
    ['999.0.113.7:80', null],
    ['[x]:80', null],
    ['', null],
  ])('%j contains the address %j', (entry, address) =>
    expect(forwardedAddress(entry)).toBe(address),
  );
});

describe('A visitor’s address', () => {
  it.each([
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:cb00:7107', '203.0.113.7'],
    ['2001:db8::1', '2001:db8::1'],
    ['0:0:0:0:0:ffff:203.0.113.7', '203.0.113.7'],
    ['0000:0000:0000:0000:0000:FFFF:CB00:7107', '203.0.113.7'],
    ['::ffff:203.0.113.7%eth0', '203.0.113.7'],
    ['2001:DB8::1', '2001:db8::1'],
    ['2001:0db8:0000:0000:0000:0000:0000:0001', '2001:db8::1'],
    ['2001:db8:0:0:0:0:0:1', '2001:db8::1'],
    ['2001:db8::0:1', '2001:db8::1'],
    ['2001:db8::0.0.0.1', '2001:db8::1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['64:ff9b::203.0.113.7', '64:ff9b::cb00:7107'],
    ['fe80::1%eth0', 'fe80::1'],
    ['FE80:0::1%25eth0', 'fe80::1'],
    ['203.0.113.7', '203.0.113.7'],
    ['not an address', 'not an address'],
  ])('%s is counted as %s', (address, plain) => expect(plainAddress(address)).toBe(plain));
});

describe('The bytes of an address', () => {
  it.each([
    ['203.0.113.7', [203, 0, 113, 7]],
    ['2001:db8::1', [0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]],
    ['::', Array.from({ length: 16 }, () => 0)],
    ['64:ff9b::192.0.2.33', [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0, 192, 0, 2, 33]],
  ])('of %s are correct', (address, bytes) =>
    expect([...(addressBytes(address) ?? [])]).toEqual(bytes),
  );

  it.each(['', 'unknown', '203.0.113', '2001:db8::1::'])('cannot be read from %j', (address) =>
    expect(addressBytes(address)).toBeNull(),
  );
});
