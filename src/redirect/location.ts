const ASCII = /^[\x21-\x7e]*$/;
const OUTSIDE = /[^\x21-\x7e]+/g;

/**
 * The Location of a destination: unchanged, but for characters that no header can carry, which are
 * percent-encoded as browsers do before sending them (RFC 3987, 3.1).
 */
export function location(longUrl: string): string {
  return ASCII.test(longUrl) ? longUrl : longUrl.replace(OUTSIDE, encodeURIComponent);
}
