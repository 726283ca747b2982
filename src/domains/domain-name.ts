import { asciiDomain, MAX_HOST_NAME } from '../common/host';

/** Rejects URL syntax and escapes, which the conversion would decode. */
const FORBIDDEN_CHARACTERS = /[\s\p{C}/:@?#\\%[\]]/u;
const DOMAIN_LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Returns A-labels in lower case; null for fewer than two labels (docs/contract.md#25.2). */
export function readDomainName(text: string): string | null {
  const name = FORBIDDEN_CHARACTERS.test(text) ? '' : asciiDomain(text.replace(/\.$/, ''));
  const labels = name.split('.');
  const isName = labels.length >= 2 && labels.every((label) => DOMAIN_LABEL.test(label));
  return isName && name.length <= MAX_HOST_NAME && !/^\d+$/.test(labels.at(-1) ?? '') ? name : null;
}

const LOCAL_NAME = /(?:^|\.)(?:localhost|local|internal|lan|home\.arpa)$/;

/** Whether a CNAME record can point to the host: a name, not an address or a local name. */
export const isPublicName = (host: string): boolean =>
  readDomainName(host) !== null && !LOCAL_NAME.test(host);

export function isWithin(name: string, host: string): boolean {
  const zone = host.toLowerCase().replace(/\.$/, '');
  return name === zone || name.endsWith(`.${zone}`);
}

export const challengeName = (fqdn: string): string => `_curtail.${fqdn}`;

export const challengeText = (token: string): string => `curtail-verify=${token}`;
