/** Contract 5.3, compared case-insensitively after the cut to 16 characters. */
const RESERVED = new Set(
  `about acceptable-use acceptable-use-policy api apps aup auth billing blog brand callback
  changelog contact dashboard discord docs domains emoji error export favicon features
  forgot-password geo github health help home humans icon icons-3d images keys legal links login
  logout metric oauth onboarding pricing privacy privacy-policy profile profile-pictures public
  refund refund-policy register relay report reset restore-account result robots security settings
  signin signup sitemap static statistics stats terms terms-of-service testimonials tools tos
  twitter verify _error _gone _next _not-found`
    .split(/\s+/)
    .map((alias) => alias.slice(0, 16)),
);

export function isReserved(alias: string): boolean {
  return RESERVED.has(alias.toLowerCase());
}
