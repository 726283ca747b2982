import mongoose, { Types } from 'mongoose';
import { databaseOf } from '../database';
import type { Service } from '../service';
import type { TestAccount } from './accounts';

// Directly writes states that the API cannot create: expired data, and data from earlier releases.
// For all other states use `accounts.ts`.

async function inDatabase(
  service: Service,
  write: (database: mongoose.Connection) => Promise<unknown>,
): Promise<void> {
  const database = await databaseOf(service);
  await write(database);
  await database.close();
}

export function expireCode(service: Service, id: string): Promise<void> {
  const expired = { $set: { expires_at: new Date() } };
  return inDatabase(service, (database) =>
    database.collection('codes').updateOne({ _id: id as never }, expired),
  );
}

export function endCodeLock(service: Service, userId: string): Promise<void> {
  const open = { $set: { locked_until: new Date() } };
  return inDatabase(service, (database) =>
    database.collection('code_budgets').updateOne({ _id: userId as never }, open),
  );
}

export function expireSessions(service: Service, { userId }: TestAccount): Promise<void> {
  const expired = { $set: { expires_at: new Date() } };
  return inDatabase(service, (database) =>
    database.collection('sessions').updateMany({ user: new Types.ObjectId(userId) }, expired),
  );
}

/** Expires a key, because the API accepts only times in the future. */
export function expireKey(service: Service, id: string): Promise<void> {
  const expired = { $set: { expires_at: new Date() } };
  return inDatabase(service, (database) =>
    database.collection('api_keys').updateOne({ _id: new Types.ObjectId(id) }, expired),
  );
}

export function lastUseOfKey(service: Service, key: string, at: Date): Promise<void> {
  const used = { $set: { last_used_at: at } };
  return inDatabase(service, (database) =>
    database.collection('api_keys').updateOne({ prefix: key.slice(4, 12) }, used),
  );
}

/**
 * Stores one expired key per slot, null for a revoked key: the API allows five creations an
 * hour.
 */
export function storedKeys(
  service: Service,
  { userId }: TestAccount,
  places: readonly (number | null)[],
): Promise<void> {
  const keys = places.map((place, n) => ({
    owner: new Types.ObjectId(userId),
    name: `stored ${n}`,
    description: null,
    scopes: ['stats:read'],
    digest: `${userId}-${n}`,
    prefix: 'seedseed',
    created_at: new Date(),
    expires_at: new Date(0),
    last_used_at: null,
    place,
  }));
  return inDatabase(service, (database) => database.collection('api_keys').insertMany(keys));
}

/** Marks an email as unverified, which the service never does. */
export function unverify(service: Service, { email }: TestAccount): Promise<void> {
  const unverified = { $set: { email_verified: false } };
  return inDatabase(service, (database) =>
    database.collection('accounts').updateOne({ email }, unverified),
  );
}

export function linkProvider(
  service: Service,
  { userId, email }: TestAccount,
  linked: { provider: string; email: string; linked_at: Date },
  picture: { url: string; source: string },
): Promise<void> {
  const rest = { subject: userId, email_verified: true, name: null, picture: null };
  const change = { $set: { identities: [{ ...linked, ...rest }], picture } };
  return inDatabase(service, (database) =>
    database.collection('accounts').updateOne({ email }, change),
  );
}

export function removeAccount(service: Service, { email }: TestAccount): Promise<void> {
  return inDatabase(service, (database) => database.collection('accounts').deleteOne({ email }));
}
