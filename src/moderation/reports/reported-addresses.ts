import { Injectable } from '@nestjs/common';
import { hostName } from '../../common/host';
import { HttpOptions } from '../../config/options';
import { parseUrl } from '../../config/url';
import { LinkAddresses } from '../../stores/domains/link-addresses';
import { decodeCode, keyOfCode } from '../../stores/links/alias-form';

const SCHEME = /^https?:\/\//i;
/** Host and path without a scheme. A slash must precede query and fragment. */
const SCHEMELESS = /^[^?#/]+\//;
const NO_ADDRESS = /[\s\p{Cc}]/u;
/** An alias and the suffixes that may follow it. */
const PATH = /^\/([^/]+?)(?:\+|\/password|\/qr\.(?:svg|png))?\/?$/;

@Injectable()
export class ReportedAddresses {
  private readonly ownName: string;
  private readonly port: string;

  constructor(
    private readonly addresses: LinkAddresses,
    { baseUrl }: HttpOptions,
  ) {
    const { host, port } = new URL(baseUrl);
    this.ownName = hostName(host);
    this.port = port;
  }

  /** Returns the stored form of an alias or short URL; null for other text. */
  keyFromText(text: string): string | null {
    const typed = text.trim();
    if (NO_ADDRESS.test(typed)) return null;
    if (SCHEME.test(typed)) return this.keyOfUrl(typed);
    if (SCHEMELESS.test(typed)) return this.keyOfUrl(`https://${typed}`);
    const [code = ''] = typed.split(/[?#]/);
    return keyOfCode(null, decodeCode(code.replace(/\+$/, '')));
  }

  private keyOfUrl(typed: string): string | null {
    const url = parseUrl(typed);
    const [, code] = PATH.exec(url?.pathname ?? '') ?? [];
    if (url === null || code === undefined || url.username + url.password !== '') return null;
    // An address without a port refers to this service.
    if (url.port !== '' && url.port !== this.port) return null;
    const fqdn = hostName(url.hostname) === this.ownName ? null : url.hostname;
    return this.addresses.keyAt(fqdn, decodeCode(code));
  }
}
