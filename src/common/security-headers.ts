/** Headers of every response beside X-Request-ID (docs/contract.md#1.1), as name and value pairs. */
export function securityHeaders(https: boolean): readonly (readonly [string, string])[] {
  return [
    ['X-Content-Type-Options', 'nosniff'],
    ['X-Frame-Options', 'DENY'],
    ['Referrer-Policy', 'strict-origin-when-cross-origin'],
    ['Permissions-Policy', 'camera=(), microphone=(), geolocation=()'],
    ...(https ? ([['Strict-Transport-Security', 'max-age=31536000']] as const) : []),
  ];
}
