import { MAX_HOST_NAME } from '../common/host';
import { domainToASCII, domainToUnicode } from 'node:url';

/** Rejects URL syntax and escapes, which the conversion would decode. */
const FORBIDDEN_CHARACTERS = /[\s\p{C}/:@?#\\%[\]]/u;
const DOMAIN_LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Returns A-labels in lower case; null if fewer than two (docs/contract.md#25.2). */
export function readDomainName(text: string): string | null {
  const name = FORBIDDEN_CHARACTERS.test(text)
    ? ''
    : domainToASCII(text.replace(/\.$/, '')).toLowerCase();
  const labels = name.split('.');
  const isName = labels.length >= 2 && labels.every(isLabel);
  return isName && name.length <= MAX_HOST_NAME && !/^\d+$/.test(labels.at(-1) ?? '') ? name : null;
}

/** A-labels must encode non-ASCII text (RFC 5890, 2.3.2.1), unchecked since Node.js 24. */
function isLabel(label: string): boolean {
  const isDecodable = !label.startsWith('xn--') || /\P{ASCII}/u.test(domainToUnicode(label));
  return isDecodable && DOMAIN_LABEL.test(label);
}

export function isWithin(name: string, host: string): boolean {
  const zone = host.toLowerCase().replace(/\.$/, '');
  return name === zone || name.endsWith(`.${zone}`);
}

export const challengeName = (fqdn: string): string => `_curtail.${fqdn}`;

export const challengeText = (token: string): string => `curtail-verify=${token}`;
