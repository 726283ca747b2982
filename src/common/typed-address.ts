/**
 * Matches a host with a dot and an optional port, followed by a path, query, fragment or the end.
 */
const BARE = /^[^\s:/?#@\\]+\.[^\s:/?#@\\]+(?::\d{1,5})?(?:[/?#]|$)/;

/** Trims a typed URL and adds `https` if the scheme is missing, as browsers do. */
export function typedAddress(text: string): string {
  const address = text.trim();
  return BARE.test(address) ? `https://${address}` : address;
}
