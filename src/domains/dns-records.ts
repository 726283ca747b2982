import { isIPv6 } from 'node:net';
import type { Domain } from '../stores/domains/domain';
import { challengeName, challengeText, isPublicName } from './domain-name';

export const RECORD_TYPES = ['CNAME', 'TXT', 'A', 'AAAA'] as const;
export const RECORD_STATES = ['found', 'missing', 'wrong'] as const;

/** Where the records of domains point: the addresses or, without any, the host. */
export interface DnsTarget {
  readonly host: string;
  readonly addresses: readonly string[];
}

interface Comparison {
  /** Null before the first check, or if DNS did not respond. */
  readonly state: (typeof RECORD_STATES)[number] | null;
  /** Values found in place of the expected value. */
  readonly found: string[];
}

interface DnsRecord extends Comparison {
  readonly type: (typeof RECORD_TYPES)[number];
  readonly name: string;
  readonly value: string;
  readonly purpose: 'ownership' | 'traffic';
}

type CheckedDomain = Pick<Domain, 'fqdn' | 'token' | 'dns'>;

const MAX_SHOWN = 4;
const PROXY_NOTE =
  'The proxy in front of this service must forward the Host header, and needs a certificate for the name.';

/** The records that the owner creates, compared with those of the last check. */
export function dnsRecords({ fqdn, token, dns }: CheckedDomain, target: DnsTarget): DnsRecord[] {
  const [name, value, texts] = [challengeName(fqdn), challengeText(token), dns?.texts ?? null];
  const isProved = texts?.includes(value) === true;
  const proof = { type: 'TXT', name, value, purpose: 'ownership' } as const;
  return [{ ...proof, ...compared(texts, isProved) }, ...trafficRecords(fqdn, dns, target)];
}

function trafficRecords(fqdn: string, dns: Domain['dns'], target: DnsTarget): DnsRecord[] {
  const found = dns?.addresses ?? null;
  const record = { name: fqdn, purpose: 'traffic' } as const;
  if (target.addresses.length > 0) {
    return target.addresses.map((value) => {
      const alike = found?.filter((address) => isIPv6(address) === isIPv6(value)) ?? null;
      const type = isIPv6(value) ? 'AAAA' : 'A';
      return { ...record, type, value, ...compared(alike, alike?.includes(value) === true) };
    });
  }
  if (!isPublicName(target.host)) return [];
  const comparison = compared(found, dns?.matches === true);
  return [{ ...record, type: 'CNAME', value: target.host, ...comparison }];
}

function compared(values: readonly string[] | null, isRight: boolean): Comparison {
  if (values === null) return { state: null, found: [] };
  if (isRight) return { state: 'found', found: [] };
  return { state: values.length === 0 ? 'missing' : 'wrong', found: values.slice(0, MAX_SHOWN) };
}

/** The next steps, in sentences. */
export function setupNotes({ fqdn, dns }: CheckedDomain, { host, addresses }: DnsTarget): string[] {
  const isReachable = addresses.length > 0 || isPublicName(host);
  const notes = isReachable
    ? [PROXY_NOTE]
    : [`No record can point to ${host}: the operator must set BASE_URL to a public host name.`];
  const found = dns?.addresses ?? null;
  if (dns === null || found === null) return notes;
  if (found.length === 0) return [`${fqdn} has no address in DNS yet.`, ...notes];
  const isLong = found.length > MAX_SHOWN;
  const list = found.slice(0, MAX_SHOWN).join(', ') + (isLong ? ' and more' : '');
  const isSingle = found.length === 1;
  const match = dns.matches
    ? `, which ${isSingle ? 'is an address' : 'are addresses'} of ${host}`
    : `, not only to ${host}: this is correct behind a proxy; otherwise, change the record`;
  return [`${fqdn} resolves to ${list}${isReachable ? match : ''}.`, ...notes];
}
