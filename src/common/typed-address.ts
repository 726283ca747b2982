/** A host with a dot in it, perhaps a port, then the end or a path, query or fragment. */
const BARE = /^[^\s:/?#@\\]+\.[^\s:/?#@\\]+(?::\d{1,5})?(?:[/?#]|$)/;

/**
 * Returns the address that somebody has typed into a form of a page or of the app: without spaces
 * around it, and with https where it has no scheme, as in a browser. Everything else stays.
 */
export function typedAddress(text: string): string {
  const address = text.trim();
  return BARE.test(address) ? `https://${address}` : address;
}
