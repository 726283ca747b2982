import mongoose, { Types } from 'mongoose';
import { databaseOf } from '../database';
import type { Service } from '../service';
import type { TestAccount } from './accounts';

// States that no door of the program makes: time has passed, and what earlier releases or other
// services have left. Everything else about accounts is made by `accounts.ts`, through the API.

/** Writes straight into a service's database. */
async function inDatabase(
  service: Service,
  write: (database: mongoose.Connection) => Promise<unknown>,
): Promise<void> {
  const database = await databaseOf(service);
  await write(database);
  await database.close();
}

/** Has the time of a one-time code run out. @param id purpose and account, `reset:…` */
export function expireCode(service: Service, id: string): Promise<void> {
  const expired = { $set: { expires_at: new Date() } };
  return inDatabase(service, (database) =>
    database.collection('codes').updateOne({ _id: id as never }, expired),
  );
}

/** Has the lock run out that too many wrong codes put on an account: it takes a day. */
export function endCodeLock(service: Service, userId: string): Promise<void> {
  const open = { $set: { locked_until: new Date() } };
  return inDatabase(service, (database) =>
    database.collection('code_budgets').updateOne({ _id: userId as never }, open),
  );
}

/** Has the time of all sessions of an account run out: it takes thirty days. */
export function expireSessions(service: Service, { userId }: TestAccount): Promise<void> {
  const expired = { $set: { expires_at: new Date() } };
  return inDatabase(service, (database) =>
    database.collection('sessions').updateMany({ user: new Types.ObjectId(userId) }, expired),
  );
}

/** Has the time of a key run out: the API takes no expiry that is near. */
export function expireKey(service: Service, id: string): Promise<void> {
  const expired = { $set: { expires_at: new Date() } };
  return inDatabase(service, (database) =>
    database.collection('api_keys').updateOne({ _id: new Types.ObjectId(id) }, expired),
  );
}

/** Has a key been used last at that time. */
export function lastUseOfKey(service: Service, key: string, at: Date): Promise<void> {
  const used = { $set: { last_used_at: at } };
  return inDatabase(service, (database) =>
    database.collection('api_keys').updateOne({ prefix: key.slice(4, 12) }, used),
  );
}

/** Keys that are expired, one for each place, null for a revoked one: the API makes five an hour. */
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

/** Takes back that an email is verified, which the program never does. */
export function unverify(service: Service, { email }: TestAccount): Promise<void> {
  const unverified = { $set: { email_verified: false } };
  return inDatabase(service, (database) =>
    database.collection('accounts').updateOne({ email }, unverified),
  );
}

/** Links a provider at a given time, and has the account's picture come from it. */
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

/** Has an account go while its sessions and keys are still about. */
export function removeAccount(service: Service, { email }: TestAccount): Promise<void> {
  return inDatabase(service, (database) => database.collection('accounts').deleteOne({ email }));
}
