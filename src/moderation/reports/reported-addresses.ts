import { Injectable } from '@nestjs/common';
import { hostName } from '../../common/host';
import { HttpOptions } from '../../config/options';
import { parseUrl } from '../../config/url';
import { LinkAddresses } from '../../stores/domains/link-addresses';
import { keyOfCode } from '../../stores/links/alias-form';

const SCHEME = /^https?:\/\//i;
/** A host and a path, without a scheme: a slash stands before query and fragment. */
const SCHEMELESS = /^[^?#/]+\//;
const NO_ADDRESS = /[\s\p{Cc}]/u;
/** A code, and what of ours can stand behind it. */
const PATH = /^\/([^/]+?)(?:\+|\/password|\/qr\.(?:svg|png))?\/?$/;

/** Finds out which link somebody means who reports it (docs/contract.md#24.5). */
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

  /** The stored alias that a code or a short URL asks for; null where a text is neither. */
  keyFromText(text: string): string | null {
    const typed = text.trim();
    if (NO_ADDRESS.test(typed)) return null;
    if (SCHEME.test(typed)) return this.keyOfUrl(typed);
    if (SCHEMELESS.test(typed)) return this.keyOfUrl(`https://${typed}`);
    const [code = ''] = typed.split(/[?#]/);
    return keyOfCode(null, decodeReportedCode(code.replace(/\+$/, '')));
  }

  private keyOfUrl(typed: string): string | null {
    const url = parseUrl(typed);
    const [, code] = PATH.exec(url?.pathname ?? '') ?? [];
    if (url === null || code === undefined || url.username + url.password !== '') return null;
    // Without a port, people mean the service that they know.
    if (url.port !== '' && url.port !== this.port) return null;
    const fqdn = hostName(url.hostname) === this.ownName ? null : url.hostname;
    return this.addresses.keyAt(fqdn, decodeReportedCode(code));
  }
}

/** Without a change where it is no percent-encoded UTF-8, which is no code. */
function decodeReportedCode(code: string): string {
  try {
    return decodeURIComponent(code);
  } catch {
    return code;
  }
}
