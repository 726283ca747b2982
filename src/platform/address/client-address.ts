import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import proxyAddr from 'proxy-addr';
import { HttpOptions } from '../../config/options';

type Trust = (address: string, hop: number) => boolean;

/**
 * The visitor's address: the socket's, or what X-Forwarded-For says as far as TRUST_PROXY allows
 * (the rule of Express, through the same package). IPv4-mapped IPv6 comes out as IPv4.
 */
@Injectable()
export class ClientAddress {
  private readonly trust: Trust | null;

  constructor(http: HttpOptions) {
    this.trust = compileTrust(http.trustProxy);
  }

  of(request: IncomingMessage): string {
    // Without the header the rule ends at the socket; asking it would only take time.
    const address =
      this.trust === null || request.headers['x-forwarded-for'] === undefined
        ? request.socket.remoteAddress
        : proxyAddr(request, this.trust);
    if (address === undefined) return '';
    return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
  }
}

function compileTrust(value: boolean | number | string): Trust | null {
  if (value === false || value === 0) return null;
  if (value === true) return () => true;
  if (typeof value === 'number') return (_, hop) => hop < value;
  return proxyAddr.compile(value.split(',').map((part) => part.trim()));
}
