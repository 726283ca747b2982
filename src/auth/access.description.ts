import { ERROR_KINDS, type ErrorAnswer } from '../common/openapi/error-answers';
import type { AccessRule } from './access';
import { ACCESS_COOKIE, REFRESH_COOKIE } from './cookies';

export const SECURITY_SCHEMES = {
  api_key: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'svc_…',
    description: 'An API key: `Authorization: Bearer svc_…`. POST /api/v1/keys creates it',
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'An access token from a sign-in: `Authorization: Bearer …`. Valid for 15 minutes',
  },
  access_token: {
    type: 'apiKey',
    in: 'cookie',
    name: ACCESS_COOKIE,
    description: 'The session cookie, set by POST /auth/login',
  },
  refresh_token: {
    type: 'apiKey',
    in: 'cookie',
    name: REFRESH_COOKIE,
    description: 'The cookie for POST /auth/refresh, POST /auth/logout and pages',
  },
} as const;

export type SecurityScheme = keyof typeof SECURITY_SCHEMES;
export type SecurityRequirement = Partial<Record<SecurityScheme, never[]>>;

/** Returns alternative credentials, any one of which is enough. `{}` means no credential. */
export function toSecurityRequirements({ credential, keys }: AccessRule): SecurityRequirement[] {
  if (credential === 'none') return [];
  if (credential === 'page') return [{ access_token: [] }, { refresh_token: [] }, {}];
  return [
    ...(keys ? [{ api_key: [] }] : []),
    { bearer: [] },
    { access_token: [] },
    ...(credential === 'optional' ? [{}] : []),
  ];
}

/** @param writes whether the method writes, so that cookie sessions require our origin */
export function accessErrors(rule: AccessRule, writes: boolean): ErrorAnswer[] {
  const { credential, keys, verified, scopes, admin } = rule;
  if (credential === 'none' || credential === 'page') return [];
  if (admin) return writes ? [{ status: 403, codes: ['forbidden'] }] : [];
  const mayForbid = !keys || scopes.length > 0 || writes;
  return [
    { status: 401, codes: ERROR_KINDS[401]?.codes ?? [] },
    ...(mayForbid ? [{ status: 403, codes: ['forbidden'] as const }] : []),
    ...(verified ? [{ status: 403, codes: ['email_not_verified'] as const }] : []),
  ];
}

export function accessText({ credential, keys, scopes, verified, admin }: AccessRule): string {
  if (admin) return 'Requires an admin session; returns 404 to all other callers.';
  if (credential === 'none') return 'Ignores credentials.';
  if (credential === 'page')
    return 'Requires no credential; uses the session cookie of signed-in browsers.';
  const kinds = keys ? 'a session or an API key' : 'a session; API keys get 403';
  const who =
    credential === 'optional'
      ? `Requires no credential; also accepts ${kinds}.`
      : `Requires ${kinds}.`;
  const names = [...new Set([...scopes, 'admin:all'])].map((scope) => `\`${scope}\``).join(' or ');
  const scope = scopes.length > 0 ? ` A key needs the scope ${names}.` : '';
  return `${who}${scope}${verified ? " The account's email address must be verified." : ''}`;
}
