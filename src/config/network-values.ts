import { isIP, isIPv6, SocketAddress } from 'node:net';
import proxyAddr from 'proxy-addr';
import { z } from 'zod';
import { parseUrl } from './url';

const text = z.string();

/** A network such as `10.0.0.0/8`. For a single address, the prefix has full length. */
export interface Network {
  readonly address: string;
  readonly prefix: number;
}

export const host = text.transform((value, context): string => {
  const bare = /^\[(.*:.*)\]$/.exec(value)?.[1] ?? value;
  if (isIPv6(bare)) return parseUrl(`http://[${bare}]`)?.hostname.slice(1, -1) ?? bare;
  if (!/[\s[\]/:]/.test(bare)) return bare;
  context.addIssue('must be an address or host name of this machine, without a port');
  return z.NEVER;
});

const PROXIES: ReadonlySet<string> = new Set(['loopback', 'linklocal', 'uniquelocal']);

export const trustProxy = text.transform((value, context): boolean | number | string => {
  if (value === 'true' || value === 'false') return value === 'true';
  if (/^\d{1,3}$/.test(value)) return Number(value);
  if (isProxyList(value.split(',').map((part) => part.trim()))) return value;
  context.addIssue(
    'must be a number of hops, true, false, or a comma-separated list of addresses, subnets, loopback, linklocal, uniquelocal',
  );
  return z.NEVER;
});

function isProxyList(parts: string[]): boolean {
  // The proxy-addr package would accept plain numbers as IPv4 addresses.
  if (!parts.every((part) => PROXIES.has(part) || isIP(part.split('/')[0] ?? '') > 0)) return false;
  try {
    proxyAddr.compile(parts);
    return true;
  } catch {
    return false;
  }
}

export const networks = text.transform((value, context): readonly Network[] => {
  const all = value.split(',').map((part) => parseNetwork(part.trim()));
  const found = all.filter((network) => network !== null);
  if (found.length < all.length) {
    context.addIssue(
      'must be a comma-separated list of addresses and networks, such as 10.1.2.3, 192.168.0.0/16, fd00::/8',
    );
  }
  return Object.freeze(found);
});

function parseNetwork(text: string): Network | null {
  const [address = '', bits, ...rest] = text.split('/');
  const whole = { 4: 32, 6: 128 }[isIP(address)];
  if (whole === undefined || address.includes('%') || rest.length > 0) return null;
  if (bits === undefined) return { address, prefix: whole };
  const prefix = /^\d{1,3}$/.test(bits) ? Number(bits) : Infinity;
  return prefix <= whole ? { address, prefix } : null;
}

/** Parses `address`, `address:port` or `[v6]:port`. Brackets are optional without a port. */
function parseHostPort(
  part: string,
  needsPort: boolean,
): { host: string; port: number | null } | null {
  if (!needsPort && isIP(part) !== 0 && !part.includes('%')) return { host: part, port: null };
  const [, v6, v4, port] = /^(?:\[([\da-fA-F:.]+)\]|([\d.]+))(?::(\d{1,5}))?$/.exec(part) ?? [];
  const host = v6 ?? v4 ?? '';
  if (isIP(host) === 0 || (v6 !== undefined && isIP(host) !== 6)) return null;
  if (port === undefined) return needsPort ? null : { host, port: null };
  return Number(port) > 0 && Number(port) <= 65_535 ? { host, port: Number(port) } : null;
}

export const dnsServers = text.transform((value, context): readonly string[] => {
  const servers = value.split(',').map((part) => parseHostPort(part.trim(), false));
  const found = servers.filter((server) => server !== null);
  if (found.length < servers.length) {
    context.addIssue(
      'must be a comma-separated list of DNS server addresses, such as 192.0.2.53, 127.0.0.1:5353, [2001:db8::53]:53',
    );
  }
  return Object.freeze(
    found.map(({ host, port }) => (isIP(host) === 6 ? `[${host}]` : host) + `:${port ?? 53}`),
  );
});

export const publicAddresses = text.transform((value, context): readonly string[] => {
  const addresses = value.split(',').map((part) => part.trim());
  if (!addresses.every((address) => isIP(address) !== 0 && !address.includes('%'))) {
    context.addIssue('must be a comma-separated list of addresses, such as 192.0.2.1, 2001:db8::1');
  }
  // Written as resolvers write them, so that they can be compared.
  return Object.freeze(
    addresses.map((address) =>
      isIP(address) === 6 ? new SocketAddress({ address, family: 'ipv6' }).address : address,
    ),
  );
});

const DURATION_UNITS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const MAX_SPAN_MS = 365 * 86_400_000;

/** Interval between domain checks, and the grace period for a missing record. */
export interface DomainRecheck {
  readonly everyMs: number;
  readonly graceMs: number;
}

export const domainRecheck = text.transform((value, context): DomainRecheck => {
  const [, every, everyUnit = '', grace, graceUnit = ''] =
    /^(\d{1,6})([smhd])\/(\d{1,6})([smhd])$/.exec(value) ?? [];
  const everyMs = Number(every) * (DURATION_UNITS[everyUnit] ?? NaN);
  const graceMs = Number(grace) * (DURATION_UNITS[graceUnit] ?? NaN);
  const areFit = [everyMs, graceMs].every((ms) => ms >= 1000 && ms <= MAX_SPAN_MS);
  if (areFit) return Object.freeze({ everyMs, graceMs });
  context.addIssue(
    'must be two durations from 1s to 365d separated by a slash, such as 1d/7d (units s, m, h, d)',
  );
  return z.NEVER;
});

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

export const listenAddress = text.transform((value, context): ListenAddress => {
  const address = parseHostPort(value, true);
  if (address?.port) return Object.freeze({ host: address.host, port: address.port });
  context.addIssue('must be an address with a port, such as 127.0.0.1:8001 or [::1]:8001');
  return z.NEVER;
});
