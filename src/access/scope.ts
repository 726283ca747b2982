/** Scopes of API keys (contract 3.2). */
export const SCOPES = [
  'shorten:create',
  'urls:read',
  'urls:manage',
  'stats:read',
  'admin:all',
] as const;

export type Scope = (typeof SCOPES)[number];
