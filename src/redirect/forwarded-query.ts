/** If a forwarded query would make the Location longer, the query is not forwarded. */
export const MAX_LOCATION_LENGTH = 8192;
/** Parameters reserved for this service (docs/contract.md#8.2 and 21.1). */
const OURS = ['password', 'qr'];
/** Characters, as Latin-1, that a query in a header must not contain. */
const NON_QUERY_CHARACTER = /[^\x21-\x7e]|#/g;

/**
 * Appends query pairs whose names the destination lacks (docs/contract.md#26.5).
 * @param query as Node provides it, one character per byte, without `?`
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

/** Removes password parameters, which must not appear in the service's URLs. */
export function withoutPassword(query: string): string {
  return query
    .split('&')
    .filter((pair) => decodedName(pair) !== 'password')
    .join('&');
}

/** Decodes to one character per byte, because the name may be invalid UTF-8. */
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
