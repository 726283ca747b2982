import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import proxyAddr from 'proxy-addr';
import type { RequestHead } from '../../common/request-handler';
import { HttpOptions } from '../../config/options';
import { toClientKey, forwardedAddress, plainAddress } from './ip-address';

type Trust = (address: string, hop: number) => boolean;

export class Client {
  constructor(
    /** `192.0.2.1` or `2001:db8:1:2::/64`; identical for all of a client's requests. */
    readonly key: string,
    private readonly socket: Pick<Socket, 'destroyed' | 'readableEnded'> | null = null,
    /** Full IP address, for notices to account owners. */
    readonly address = key,
  ) {}

  /**
   * True once the client has closed the connection or its sending side. This getter is polled,
   * because per-request listeners would accumulate on sockets with pipelined requests.
   */
  get gone(): boolean {
    return this.socket !== null && (this.socket.destroyed || this.socket.readableEnded);
  }
}

/** Only this class reads X-Forwarded-For; it trusts proxies according to TRUST_PROXY. */
@Injectable()
export class ClientAddress {
  private readonly trust: Trust | null;

  constructor(http: HttpOptions) {
    this.trust = compileTrust(http.trustProxy);
  }

  /** Full IP address; IPv4-mapped IPv6 becomes IPv4. Empty if the socket is closed. */
  visitorAddress(request: Pick<RequestHead, 'headers' | 'socket'>): string {
    // Without the header, the result is always the socket's address.
    const address =
      this.trust === null || request.headers['x-forwarded-for'] === undefined
        ? (request.socket.remoteAddress ?? '')
        : lastAddress(proxyAddr.all(request as IncomingMessage, this.trust));
    return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
  }

  /** Key for counting a client's connections; null for a proxy, which serves many clients. */
  connectionKey({ remoteAddress = '' }: Pick<Socket, 'remoteAddress'>): string | null {
    return this.trust?.(remoteAddress, 0) === true ? null : toClientKey(remoteAddress);
  }

  client(request: IncomingMessage): Client {
    const address = this.visitorAddress(request);
    return new Client(toClientKey(address), request.socket, plainAddress(address));
  }
}

/**
 * Returns the most distant hop that is an IP address. A proxy that forwards anything else (such
 * as `unknown`) is treated as the client, so that clients cannot invent keys.
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
