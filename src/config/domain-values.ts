import { isIP, SocketAddress } from 'node:net';
import { z } from 'zod';

const domainText = z.string();

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

export const dnsServers = domainText.transform((value, context): readonly string[] => {
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

export const publicAddresses = domainText.transform((value, context): readonly string[] => {
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

export const domainRecheck = domainText.transform((value, context): DomainRecheck => {
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

export const listenAddress = domainText.transform((value, context): ListenAddress => {
  const address = parseHostPort(value, true);
  if (address?.port) return Object.freeze({ host: address.host, port: address.port });
  context.addIssue('must be an address with a port, such as 127.0.0.1:8001 or [::1]:8001');
  return z.NEVER;
});
