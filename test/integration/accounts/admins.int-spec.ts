import type { Connection } from 'mongoose';
import type { Account } from '../../../src/accounts/account/account';
import { AccountRecord, AccountSchema } from '../../../src/accounts/account/account.schema';
import { LastAdminError } from '../../../src/accounts/account/accounts.errors';
import { AccountsRepository } from '../../../src/accounts/account/accounts.repository';
import { DatabaseLeases } from '../../../src/infrastructure/mongo/database-leases.repository';
import { AdminsService } from '../../../src/accounts/admin-role/admins.service';
import { AuditEntryRecord, AuditEntrySchema } from '../../../src/audit-trail/audit-entry.schema';
import { AuditTrailRepository } from '../../../src/audit-trail/audit-trail.repository';
import { AuditTrailService } from '../../../src/audit-trail/audit-trail.service';
import { QuietLogger } from '../../support/shared/quiet-logger';
import { dropTestDatabase, openTestDatabase, testDatabaseUri } from '../../support/test-database';

const BY = { id: null, via: 'cli' } as const;

describe('Admins', () => {
  let connection: Connection;
  let accounts: AccountsRepository;
  let admins: AdminsService;

  beforeEach(async () => {
    connection = await openTestDatabase(testDatabaseUri());
    accounts = new AccountsRepository(connection.model(AccountRecord.name, AccountSchema));
    admins = open();
  });
  afterEach(() => dropTestDatabase(connection));

  function open(): AdminsService {
    const leases = new DatabaseLeases(connection);
    const trail = new AuditTrailRepository(
      connection.model(AuditEntryRecord.name, AuditEntrySchema),
    );
    const entries = new AuditTrailService(trail);
    return new AdminsService(accounts, leases, entries, new QuietLogger(), { adminEmails: [] });
  }

  function anAccount(email: string): Promise<Account> {
    const rest = { userName: null, passwordHash: null };
    return accounts.insert({ email, emailVerified: true, ...rest }, new Date());
  }

  async function anAdmin(email: string): Promise<Account> {
    return admins.setRole((await anAccount(email)).id, 'admin', BY);
  }

  const roleOf = async ({ id }: Account) => (await accounts.findById(id))?.role;

  it('always include at least one admin that can sign in', async () => {
    const only = await anAdmin('only@example.com');
    const suspended = await anAdmin('suspended@example.com');
    const leaving = await anAdmin('leaving@example.com');
    const { collection } = connection.model<AccountRecord>(AccountRecord.name);
    const suspension = { at: new Date(), by: null, reason: 'Spam' };
    await collection.updateOne({ email: suspended.email }, { $set: { suspended: suspension } });
    await collection.updateOne({ email: leaving.email }, { $set: { deletes_at: new Date() } });
    const act = jest.fn(() => Promise.resolve('done'));
    await expect(admins.keepingAnAdmin(only.id, act)).rejects.toThrow(LastAdminError);
    expect(act).not.toHaveBeenCalled();
    // Suspending an account that does not count as an admin is safe.
    expect(await admins.keepingAnAdmin(suspended.id, act)).toBe('done');
    await expect(admins.setRole(only.id, 'user', BY)).rejects.toThrow(LastAdminError);
    expect(await roleOf(only)).toBe('admin');
  });

  it('still include one of two if both roles are revoked concurrently, in two processes', async () => {
    const other = open();
    for (let round = 0; round < 20; round++) {
      const pair = [await anAdmin(`a${round}@example.com`), await anAdmin(`b${round}@example.com`)];
      const others = round === 0 ? [] : [`a${round - 1}@example.com`, `b${round - 1}@example.com`];
      for (const email of others) {
        const before = await accounts.findByEmail(email);
        if (before?.role === 'admin') await admins.setRole(before.id, 'user', BY);
      }
      const outcomes = await Promise.allSettled(
        pair.map(({ id }, i) => (i === 0 ? admins : other).setRole(id, 'user', BY)),
      );
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      const refused = outcomes.find((outcome) => outcome.status === 'rejected');
      expect(refused?.reason).toBeInstanceOf(LastAdminError);
      const roles = await Promise.all(pair.map(roleOf));
      expect(roles.sort()).toEqual(['admin', 'user']);
    }
  });

  it('can be changed again after a process that holds the lock exits', async () => {
    const admin = await anAdmin('admin@example.com');
    await anAdmin('other@example.com');
    await new DatabaseLeases(connection).acquire('admins_lock', 200);
    expect((await admins.setRole(admin.id, 'user', BY)).role).toBe('user');
  });
});
