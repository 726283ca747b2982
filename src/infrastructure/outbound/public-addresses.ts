import { BlockList, isIP, isIPv4 } from 'node:net';
import type { Network } from '../../config/network-values';
import { addressBytes } from '../client-address/ip-address';

/** IPv4 networks that are not public (docs/contract.md#17.3). */
const NOT_PUBLIC_IPV4 = buildBlockList(
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
);
/** The network that contains all public IPv6 addresses. */
const GLOBAL_IPV6 = buildBlockList('2000::/3');
/** Parts of 2000::/3 that are not public: protocol assignments, documentation, and 6to4. */
const NOT_PUBLIC_IPV6 = buildBlockList('2001::/23', '2001:db8::/32', '2002::/16');

/** `::ffff:0:0/96`, and `64:ff9b::/96` for NAT64: the last four bytes are an IPv4 address. */
const WITH_IPV4_INSIDE = ['00000000000000000000ffff', '0064ff9b0000000000000000'];

/** Addresses that requests may go to: public addresses, and those that the operator adds. */
export class PublicAddresses {
  private readonly allowed = new BlockList();

  constructor(allowed: readonly Network[]) {
    for (const { address, prefix } of allowed) {
      this.allowed.addSubnet(address, prefix, addressFamily(address));
    }
  }

  mayReach(address: string): boolean {
    return isPublic(innerAddress(address)) || this.isAllowed(address);
  }

  /** Whether the operator has allowed the address; plain HTTP is then also permitted. */
  isAllowed(address: string): boolean {
    const inner = innerAddress(address);
    return inner !== null && this.allowed.check(inner, addressFamily(inner));
  }
}

function isPublic(address: string | null): boolean {
  if (address === null) return false;
  if (isIPv4(address)) return !NOT_PUBLIC_IPV4.check(address);
  return GLOBAL_IPV6.check(address, 'ipv6') && !NOT_PUBLIC_IPV6.check(address, 'ipv6');
}

/** Returns the address to check; null if it is invalid or has a zone, as no public address does. */
function innerAddress(address: string): string | null {
  if (address.includes('%') || isIP(address) === 0) return null;
  const bytes = Buffer.from(addressBytes(address) ?? []);
  const hasIpv4 = WITH_IPV4_INSIDE.includes(bytes.toString('hex', 0, 12));
  return bytes.length === 16 && hasIpv4 ? bytes.subarray(12).join('.') : address;
}

function buildBlockList(...all: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of all) {
    const [address = '', prefix] = network.split('/');
    list.addSubnet(address, Number(prefix), addressFamily(address));
  }
  return list;
}

function addressFamily(address: string): 'ipv4' | 'ipv6' {
  return isIPv4(address) ? 'ipv4' : 'ipv6';
}
