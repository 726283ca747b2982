import { createHmac } from 'node:crypto';

export const SESSION_ID = '5'.repeat(24);

/** A session's access token as the service would sign it. */
export function session(userId: string, secret: string): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    sub: userId,
    amr: ['pwd'],
    sid: SESSION_ID,
    email: 'bench@example.com',
    email_verified: true,
    iat: now,
    exp: now + 3600,
    aud: 'curtail-api',
    iss: 'curtail',
  };
  const encoded = [{ alg: 'HS256', typ: 'JWT' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const signature = createHmac('sha256', secret).update(encoded.join('.')).digest('base64url');
  return `${encoded.join('.')}.${signature}`;
}
