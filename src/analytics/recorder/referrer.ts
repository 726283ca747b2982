/** A host name has at most 253 characters; a scheme is a word. */
const LONGEST = 300;

/** `scheme://host` of a Referer header in lower case; null when it is absent or unreadable. */
export function referrerOf(referer: string): string | null {
  if (referer === '' || !URL.canParse(referer)) return null;
  const { protocol, hostname } = new URL(referer);
  if (hostname === '') return null;
  const referrer = `${protocol}//${hostname}`.toLowerCase();
  return referrer.length > LONGEST ? null : referrer;
}
