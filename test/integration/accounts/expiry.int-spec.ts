import type { Connection } from 'mongoose';
import { CodeRecord, CodeSchema } from '../../../src/accounts/codes/code.schema';
import { CodesRepository } from '../../../src/accounts/codes/codes.repository';
import { SessionRecord, SessionSchema } from '../../../src/accounts/sessions/session.schema';
import { SessionsRepository } from '../../../src/accounts/sessions/sessions.repository';
import type { Account } from '../../../src/accounts/account/account';
import { expiredDocumentsIn } from '../../support/factories/expired-documents';
import { dropTestDatabase, openTestDatabase, testDatabaseUri } from '../../support/test-database';

const HOUR = 3_600_000;
const ID = 'a'.repeat(24);
const SEEN = { browser: 'Firefox', os: 'Linux', country: null };

describe('Expiry in the accounts module', () => {
  let connection: Connection;
  beforeAll(async () => (connection = await openTestDatabase(testDatabaseUri())));
  afterAll(() => dropTestDatabase(connection));

  const count = (name: string) => connection.collection(name).countDocuments();
  const now = new Date();
  const later = new Date(now.getTime() + HOUR);
  const after = new Date(now.getTime() + 2 * HOUR);

  it('codes are rejected and deleted once they have expired', async () => {
    const codes = new CodesRepository(connection.model(CodeRecord.name, CodeSchema));
    await codes.put(ID, 'reset', 'hash of the one', now);
    await codes.put(ID, 'verification', 'hash of the other', later);
    expect(await codes.takeTry(ID, 'reset', 'aa', now)).toBeNull();
    expect(await codes.takeTry(ID, 'verification', 'aa', now)).toBe('hash of the other');
    await expiredDocumentsIn(connection).purge(now);
    expect(await count('codes')).toBe(1);
    expect(await codes.consume(ID, 'verification', 'hash of the other')).toBe(true);
  });

  it('sessions are rejected and deleted once they have expired', async () => {
    const sessions = new SessionsRepository(connection.model(SessionRecord.name, SessionSchema));
    const account = { id: ID, sessionEpoch: 0 } as Account;
    const id = sessions.newId();
    await sessions.insert(id, account, ['pwd'], {
      live: 'first',
      expiresAt: later,
      seen: SEEN,
    });
    const rotation = { spent: 'first', live: 'second', expiresAt: after, seen: SEEN };
    expect(await sessions.rotate(id, account, { ...rotation, now: later })).toBeNull();
    const expired = expiredDocumentsIn(connection);
    await expired.purge(now);
    expect(await sessions.rotate(id, account, { ...rotation, now })).toEqual({
      id,
      userId: ID,
      methods: ['pwd'],
    });
    expect(await count('sessions')).toBe(1);
    await expired.purge(after);
    expect(await count('sessions')).toBe(0);
  });

  it('sessions from before a password reset are rejected', async () => {
    const sessions = new SessionsRepository(connection.model(SessionRecord.name, SessionSchema));
    const before = { id: ID, sessionEpoch: 0 } as Account;
    const id = sessions.newId();
    await sessions.insert(id, before, ['pwd'], {
      live: 'first',
      expiresAt: later,
      seen: SEEN,
    });
    const rotation = { spent: 'first', live: 'second', now, expiresAt: later, seen: SEEN };
    expect(await sessions.rotate(id, { ...before, sessionEpoch: 1 }, rotation)).toBeNull();
    expect(await sessions.rotate(id, before, rotation)).not.toBeNull();
  });
});
