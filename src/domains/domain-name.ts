import { MAX_HOST_NAME } from '../common/host';
import { domainToASCII, domainToUnicode } from 'node:url';

/** Nothing of a URL, and no escapes, which the conversion would read. */
const FORBIDDEN_CHARACTERS = /[\s\p{C}/:@?#\\%[\]]/u;
const DOMAIN_LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Returns a name in the form of the DNS, A-labels in lower case without a dot at the end; null where
 * it is no name of two labels or more (docs/contract.md#25.2).
 */
export function readDomainName(text: string): string | null {
  const name = FORBIDDEN_CHARACTERS.test(text)
    ? ''
    : domainToASCII(text.replace(/\.$/, '')).toLowerCase();
  const labels = name.split('.');
  const isName = labels.length >= 2 && labels.every(isLabel);
  return isName && name.length <= MAX_HOST_NAME && !/^\d+$/.test(labels.at(-1) ?? '') ? name : null;
}

/** A-labels must stand for other than ASCII characters (RFC 5890, 2.3.2.1); Node.js 24 no longer checks it. */
function isLabel(label: string): boolean {
  const isDecodable = !label.startsWith('xn--') || /\P{ASCII}/u.test(domainToUnicode(label));
  return isDecodable && DOMAIN_LABEL.test(label);
}

/** Whether a name is the host or lies below it. */
export function isWithin(name: string, host: string): boolean {
  const zone = host.toLowerCase().replace(/\.$/, '');
  return name === zone || name.endsWith(`.${zone}`);
}

/** The name whose TXT record proves a domain. */
export const challengeName = (fqdn: string): string => `_curtail.${fqdn}`;

/** The text that this record is to have. */
export const challengeText = (token: string): string => `curtail-verify=${token}`;
