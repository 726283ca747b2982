import { createHmac } from 'node:crypto';
import mongoose from 'mongoose';

const SESSION_ID = '5'.repeat(24);

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

/** Stores a token's account and session, which write requests require. */
export async function storeSession(
  database: mongoose.Connection,
  user: mongoose.Types.ObjectId,
): Promise<void> {
  const now = new Date();
  await database.collection('accounts').insertOne({
    ...{ _id: user, email: 'bench@example.com', email_verified: true, identities: [] },
    ...{ user_name: null, password_hash: null, picture: null, session_epoch: 0, created_at: now },
  });
  await database.collection('sessions').insertOne({
    ...{ _id: new mongoose.Types.ObjectId(SESSION_ID), user, epoch: 0, methods: ['pwd'] },
    ...{ live: 'none', expires_at: new Date(now.getTime() + 3_600_000) },
  });
}
