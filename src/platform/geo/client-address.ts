import { isIP } from 'node:net';

const MAPPED = /^::ffff:(?:(\d+\.\d+\.\d+\.\d+)|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/i;

/**
 * A client address in one form: IPv4 that arrived over an IPv6 socket becomes plain IPv4, a zone
 * is cut off. What is no address comes back as it is.
 */
export function plainAddress(address: string): string {
  const [bare = ''] = address.split('%', 1);
  const mapped = MAPPED.exec(bare);
  if (mapped === null || isIP(bare) !== 6) return isIP(bare) === 0 ? address : bare;
  const [, dotted, high = '', low = ''] = mapped;
  if (dotted !== undefined) return dotted;
  const bits = [parseInt(high, 16), parseInt(low, 16)];
  return bits.flatMap((half) => [half >> 8, half & 255]).join('.');
}
