import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Injectable, Module } from '@nestjs/common';
import proxyAddr from 'proxy-addr';
import type { RequestHead } from '../../common/request-handler';
import { HttpOptions } from '../../config/options';
import { toClientKey, forwardedAddress, plainAddress } from './ip-address';

type Trust = (address: string, hop: number) => boolean;

/**
 * The sender of a request, as far as services may know it: the key of its limits and of its place
 * in fair queues, and whether anybody still waits for the response.
 */
export class Client {
  constructor(
    /** `192.0.2.1` or `2001:db8:1:2::/64`; every request of the client has the same. */
    readonly key: string,
    private readonly socket: Pick<Socket, 'destroyed' | 'readableEnded'> | null = null,
    /** The whole address, for notices to account holders. */
    readonly address = key,
  ) {}

  /**
   * True once the client has closed the connection, or has closed its side of it, which looks the
   * same from here. Asked for rather than announced: a listener per request would pile up on a
   * socket whose requests come in one go.
   */
  get gone(): boolean {
    return this.socket !== null && (this.socket.destroyed || this.socket.readableEnded);
  }
}

/**
 * Where a request comes from: the socket's address, or what X-Forwarded-For says as far as
 * TRUST_PROXY allows (the rule of Express, through the same package). `addressOf` is the visitor's whole
 * address, for the click record; `client` is what limits and queues count by. Nothing else turns
 * a request into either.
 */
@Injectable()
export class ClientAddress {
  private readonly trust: Trust | null;

  constructor(http: HttpOptions) {
    this.trust = compileTrust(http.trustProxy);
  }

  /** The whole address; IPv4-mapped IPv6 comes out as IPv4. Empty when the socket is closed. */
  visitorAddress(request: Pick<RequestHead, 'headers' | 'socket'>): string {
    // Without the header the rule ends at the socket; asking it would only take time.
    const address =
      this.trust === null || request.headers['x-forwarded-for'] === undefined
        ? (request.socket.remoteAddress ?? '')
        : lastAddress(proxyAddr.all(request as IncomingMessage, this.trust));
    return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
  }

  /** By what connections are counted; null for a proxy, whose connections are those of many clients. */
  connectionKey({ remoteAddress = '' }: Pick<Socket, 'remoteAddress'>): string | null {
    return this.trust?.(remoteAddress, 0) === true ? null : toClientKey(remoteAddress);
  }

  /** The client as limits and fair queues see it. */
  client(request: IncomingMessage): Client {
    const address = this.visitorAddress(request);
    return new Client(toClientKey(address), request.socket, plainAddress(address));
  }
}

/**
 * The farthest hop that is an address, seen from the socket. A proxy that passes on something else
 * (`unknown`, a name, text that a client made up) is itself counted as the client: whoever sends
 * such text shares the limits of that proxy and gets no key of his own invention.
 */
function lastAddress(hops: readonly (string | undefined)[]): string {
  for (let i = hops.length - 1; i > 0; i--) {
    const address = forwardedAddress(hops[i] ?? '');
    if (address !== null) return address;
  }
  return hops[0] ?? '';
}

function compileTrust(value: boolean | number | string): Trust | null {
  if (value === false || value === 0) return null;
  if (value === true) return () => true;
  if (typeof value === 'number') return (_, hop) => hop < value;
  return proxyAddr.compile(value.split(',').map((part) => part.trim()));
}

@Module({ providers: [ClientAddress], exports: [ClientAddress] })
export class AddressModule {}
