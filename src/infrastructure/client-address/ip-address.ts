import { isIP, isIPv4, isIPv6 } from 'node:net';

/** Formats that some proxies send: `192.0.2.1:4711`, `[2001:db8::1]:4711`, `[2001:db8::1]`. */
const WITH_PORT = /^(?:(\d+\.\d+\.\d+\.\d+):\d+|\[([^\]]*)\](?::\d+)?)$/;

/** Key shared by all clients whose address is unknown. */
export const UNKNOWN_CLIENT = 'unknown';

/** Converts IPv4-mapped IPv6 to IPv4, other IPv6 to RFC 5952 without zone; keeps other text. */
export function plainAddress(address: string): string {
  if (isIPv4(address)) return address;
  const [bare = ''] = address.split('%', 1);
  if (!isIPv6(bare)) return isIPv4(bare) ? bare : address;
  const groups = ipv6Groups(bare);
  if (isMapped(groups)) return toIpv4(groups.slice(6));
  return new URL(`http://[${bare}]`).hostname.slice(1, -1);
}

/** Returns the address in an X-Forwarded-For entry, without the port; null if it has none. */
export function forwardedAddress(entry: string): string | null {
  if (isIP(entry) !== 0) return entry;
  const [, dotted, bracketed] = WITH_PORT.exec(entry) ?? [];
  const address = dotted ?? bracketed ?? '';
  return isIP(address) === 0 ? null : address;
}

/**
 * Key for limits and queues (docs/contract.md#4.1): the IPv4 address (even if mapped or
 * translated by NAT64), or the first 64 bits of an IPv6 address, because a household has at least
 * a /64 network. Any other text gives the key for unknown clients.
 */
export function toClientKey(address: string): string {
  if (isIPv4(address)) return address;
  const [bare = ''] = address.split('%', 1);
  if (!isIPv6(bare)) return UNKNOWN_CLIENT;
  const groups = ipv6Groups(bare);
  if (isMapped(groups) || isTranslated(groups)) return toIpv4(groups.slice(6));
  const prefix = groups.slice(0, 4).map((group) => group.toString(16));
  return `${prefix.join(':')}::/64`;
}

/** Returns 4 or 16 bytes; null if the text is not an address, or has a zone. */
export function addressBytes(address: string): Uint8Array | null {
  if (isIPv4(address)) return Uint8Array.from(address.split('.'), Number);
  if (!isIPv6(address)) return null;
  return Uint8Array.from(ipv6Groups(address).flatMap((group) => [group >> 8, group & 255]));
}

function isMapped(groups: readonly number[]): boolean {
  return groups.slice(0, 6).join(':') === '0:0:0:0:0:65535';
}

function isTranslated(groups: readonly number[]): boolean {
  return groups.slice(0, 6).join(':') === '100:65435:0:0:0:0';
}

function ipv6Groups(address: string): number[] {
  const [left = '', right] = address.split('::');
  const [head, tail] = [readGroups(left), right === undefined ? [] : readGroups(right)];
  const gap = Math.max(0, 8 - head.length - tail.length);
  return [...head, ...Array.from({ length: gap }, () => 0), ...tail];
}

function readGroups(text: string): number[] {
  return text
    .split(':')
    .filter((part) => part !== '')
    .flatMap((part) => {
      if (!part.includes('.')) return [parseInt(part, 16)];
      const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number);
      return [(a << 8) | b, (c << 8) | d];
    });
}

function toIpv4(halves: readonly number[]): string {
  return halves.flatMap((half) => [half >> 8, half & 255]).join('.');
}
