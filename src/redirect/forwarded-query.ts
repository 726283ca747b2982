/** Longest Location that a forwarded query may make; beyond it the destination stays as it is. */
export const MAX_LOCATION_LENGTH = 8192;
/** Names that mean something to this service alone (docs/contract.md#8.2 and 21.1). */
const OURS = ['password', 'qr'];
/** A character for each byte that stands for no byte of a query in a header. */
const NON_QUERY_CHARACTER = /[^\x21-\x7e]|#/g;

/**
 * The destination with those pairs of the visited short URL whose names it lacks, as they came and in
 * their order (docs/contract.md#26.5).
 *
 * @param location of the destination, in visible ASCII
 * @param query of the short URL as Node has it, a character for each byte, without `?`
 */
export function withForwardedQuery(location: string, query: string): string {
  if (query === '') return location;
  const hash = location.indexOf('#');
  const address = hash === -1 ? location : location.slice(0, hash);
  const mark = address.indexOf('?');
  const own = mark === -1 ? '' : address.slice(mark + 1);
  const taken = new Set([...OURS, ...own.split('&').map(decodedName)]);
  const pairs = query
    .split('&')
    .filter((pair) => !isUnnamed(pair) && !taken.has(decodedName(pair)));
  if (pairs.length === 0) return location;
  const added = pairs.join('&').replace(NON_QUERY_CHARACTER, escapedByte);
  const joint = mark === -1 ? '?' : own === '' ? '' : '&';
  const forwarded = address + joint + added + location.slice(address.length);
  return forwarded.length > MAX_LOCATION_LENGTH ? location : forwarded;
}

/** The pairs of a query that may stand in an address of our own: all but those with a password. */
export function withoutPassword(query: string): string {
  return query
    .split('&')
    .filter((pair) => decodedName(pair) !== 'password')
    .join('&');
}

/** The decoded name, a character for each byte: it need not be UTF-8. */
function decodedName(pair: string): string {
  const end = pair.indexOf('=');
  const name = end === -1 ? pair : pair.slice(0, end);
  if (!/[%+]/.test(name)) return name;
  const spaced = name.replaceAll('+', ' ');
  return spaced.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(parseInt(hex, 16)),
  );
}

function isUnnamed(pair: string): boolean {
  return pair === '' || pair.startsWith('=');
}

function escapedByte(byte: string): string {
  return `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}
