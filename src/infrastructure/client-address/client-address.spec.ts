import type { IncomingMessage } from 'node:http';
import type { HttpOptions } from '../../config/options';
import { ClientAddress } from './client-address';

/** Returns the client's address for a request from `remoteAddress`. */
function addressOf(
  trustProxy: HttpOptions['trustProxy'],
  forwarded: string | undefined,
  remoteAddress: string | undefined = '127.0.0.1',
): string {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  const request = { headers, socket: { remoteAddress } } as unknown as IncomingMessage;
  return new ClientAddress({ trustProxy } as HttpOptions).visitorAddress(request);
}

describe('ClientAddress', () => {
  it.each([
    [false, '203.0.113.7', '127.0.0.1'],
    [1, undefined, '127.0.0.1'],
    [1, '198.51.100.1, 203.0.113.7', '203.0.113.7'],
    [2, '198.51.100.1, 203.0.113.7', '198.51.100.1'],
    ['loopback', '198.51.100.1, 203.0.113.7', '203.0.113.7'],
    [true, '198.51.100.1, 203.0.113.7', '198.51.100.1'],
    [1, '2001:db8::1', '2001:db8::1'],
    [1, '::ffff:203.0.113.7', '203.0.113.7'],
    [1, '203.0.113.7:4711', '203.0.113.7'],
    [1, '[2001:db8::1]:4711', '2001:db8::1'],
  ])('with TRUST_PROXY %p and %p is %p', (trust, forwarded, address) =>
    expect(addressOf(trust, forwarded)).toBe(address),
  );

  it.each([
    [1, 'made-up-1', '127.0.0.1'],
    [1, '203.0.113.7, made-up-2', '127.0.0.1'],
    [2, 'made-up-3, 203.0.113.7', '203.0.113.7'],
    [2, 'made-up-4, made-up-5', '127.0.0.1'],
    ['loopback', '203.0.113.7, made-up-6', '127.0.0.1'],
    [true, 'made-up-7, 203.0.113.7', '203.0.113.7'],
  ])('with TRUST_PROXY %p and %p is the last valid address', (trust, text, address) =>
    expect(addressOf(trust, text)).toBe(address),
  );

  it('is null for a socket that is already closed', () =>
    expect(addressOf(1, 'made-up', '')).toBe(''));

  it.each(['2001:DB8::A', '[2001:db8:0::a]:4711', '2001:0db8::0:a%eth0'])(
    'is the same if a proxy writes it as %s',
    (text) => {
      const headers = { 'x-forwarded-for': text };
      const request = { headers, socket: { remoteAddress: '127.0.0.1' } };
      const { address } = new ClientAddress({ trustProxy: 1 } as HttpOptions).client(
        request as unknown as IncomingMessage,
      );
      expect(address).toBe('2001:db8::a');
    },
  );

  it("detects whether a request's client is still connected", () => {
    const socket = { remoteAddress: '2001:db8::1', destroyed: false, readableEnded: false };
    const request = { headers: {}, socket } as unknown as IncomingMessage;
    const client = new ClientAddress({ trustProxy: false } as HttpOptions).client(request);
    expect([client.key, client.gone]).toEqual(['2001:db8:0:0::/64', false]);
    socket.readableEnded = true;
    expect(client.gone).toBe(true);
    Object.assign(socket, { readableEnded: false, destroyed: true });
    expect(client.gone).toBe(true);
  });
});
