import { Types } from 'mongoose';
import { ApiClient } from '../api-client';
import { databaseOf } from '../database';
import { type Service, startService } from '../service';
import type { TestAccount } from './accounts';

interface DomainValues {
  readonly status?: 'active' | 'suspended' | 'revoked';
  readonly is_default?: true;
  readonly root_redirect?: string;
  readonly not_found_redirect?: string;
  readonly robots?: string;
}

/** Stores a verified domain without DNS, for processes that start later. Returns its id. */
export async function storedDomain(
  service: Service,
  { userId }: Pick<TestAccount, 'userId'>,
  fqdn: string,
  values: DomainValues = {},
): Promise<string> {
  const database = await databaseOf(service);
  const now = new Date();
  const _id = new Types.ObjectId();
  await database.collection('domains').insertOne({
    _id,
    owner: new Types.ObjectId(userId),
    fqdn,
    status: 'active',
    ...(values.status === 'revoked' ? {} : { held: true }),
    token: 'a'.repeat(32),
    root_redirect: null,
    not_found_redirect: null,
    robots: null,
    app_links: null,
    created_at: now,
    updated_at: now,
    last_verified_at: now,
    failing_since: null,
    error: null,
    check_at: new Date(now.getTime() + 86_400_000),
    revision: 1,
    ...values,
  });
  await database.close();
  return _id.toHexString();
}

/** Starts a service with an active domain; returns it with the domain's owner. */
export async function startWithDomain(
  fqdn: string,
): Promise<{ service: Service; client: ApiClient }> {
  const first = await startService({ own: true });
  const client = await ApiClient.on(first);
  await storedDomain(first, client.account, fqdn);
  await first.stop();
  const service = await startService({ database: first.database, port: first.port });
  return { service, client: client.at(service) };
}
