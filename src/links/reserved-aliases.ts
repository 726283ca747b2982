import { FIXED_SEGMENTS } from '../core/fixed-segments';

const LISTED = `about acceptable-use acceptable-use-policy api apps aup auth billing blog brand
  callback changelog contact dashboard discord docs domains emoji error export favicon features
  forgot-password geo github health help home humans icon icons-3d images keys legal links login
  logout metric oauth onboarding pricing privacy privacy-policy profile profile-pictures public
  refund refund-policy register relay report reset restore-account result robots security settings
  signin signup sitemap static statistics stats terms terms-of-service testimonials tools tos
  twitter verify _error _gone _next _not-found`;

/**
 * Contract 5.3, compared case-insensitively after the cut to 16 characters. Every fixed first
 * segment is among them: a link of that name could never be reached.
 */
const RESERVED = new Set(
  [...LISTED.split(/\s+/), ...FIXED_SEGMENTS].map((alias) => alias.slice(0, 16)),
);

export function isReserved(alias: string): boolean {
  return RESERVED.has(alias.toLowerCase());
}
