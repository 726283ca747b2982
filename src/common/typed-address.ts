/** A host with a dot in it, perhaps a port, then the end or a path, query or fragment. */
const BARE = /^[^\s:/?#@\\]+\.[^\s:/?#@\\]+(?::\d{1,5})?(?:[/?#]|$)/;

/**
 * What somebody has typed into a form, a page's or the app's, as an address: spaces around it are
 * none of it, and where it has no scheme, https is meant, as in a browser. Everything else stays.
 */
export function typedAddress(text: string): string {
  const address = text.trim();
  return BARE.test(address) ? `https://${address}` : address;
}
