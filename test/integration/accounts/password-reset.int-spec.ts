import { BackgroundTasks } from '../../../src/common/background-tasks';
import type { Connection } from 'mongoose';
import type { Account, SignInLog } from '../../../src/accounts/account/account';
import { hashAccountPassword } from '../../../src/accounts/account/account-password';
import type { AccountsRepository } from '../../../src/accounts/account/accounts.repository';
import { CodeRefusedError } from '../../../src/accounts/account/accounts.errors';
import { CodeBudgetRecord, CodeBudgetSchema } from '../../../src/accounts/codes/code-budget.schema';
import { CodeRecord, CodeSchema, CODE_TRIES } from '../../../src/accounts/codes/code.schema';
import {
  CodeBudgetsRepository,
  CodesRepository,
} from '../../../src/accounts/codes/codes.repository';
import { OneTimeCodesService } from '../../../src/accounts/codes/one-time-codes.service';
import { PasswordResetService } from '../../../src/accounts/verification/verification.service';
import type { AccountMailsService } from '../../../src/accounts/mails/account-mails.service';
import type { SessionsService } from '../../../src/accounts/sessions/sessions.service';
import type { Client } from '../../../src/infrastructure/client-address/client-address';
import { HashingOverloadedError } from '../../../src/infrastructure/hashing/hashing.errors';
import type { MongoConnector } from '../../../src/infrastructure/mongo/mongo-connector';
import { dropTestDatabase, openTestDatabase, testDatabaseUri } from '../../support/test-database';

jest.mock('../../../src/accounts/account/account-password', () => ({
  ...jest.requireActual<object>('../../../src/accounts/account/account-password'),
  hashAccountPassword: jest.fn(() => Promise.resolve('a hash')),
}));

const ID = 'a'.repeat(24);
const EMAIL = 'ann@example.com';
const CLIENT = { key: '192.0.2.1', address: '192.0.2.1' } as Client;

describe('A reset code', () => {
  let connection: Connection;
  let codes: OneTimeCodesService;
  let reset: PasswordResetService;
  const replacePassword = jest.fn(() => Promise.resolve(true));

  beforeEach(async () => {
    replacePassword.mockClear();
    connection = await openTestDatabase(testDatabaseUri());
    codes = new OneTimeCodesService(
      new CodesRepository(connection.model(CodeRecord.name, CodeSchema)),
      new CodeBudgetsRepository(connection.model(CodeBudgetRecord.name, CodeBudgetSchema)),
      { secret: 'a secret of the integration tests' },
    );
    const open = { suspended: null, deletesAt: null };
    const account = { id: ID, email: EMAIL, passwordHash: 'an older hash', ...open } as Account;
    reset = new PasswordResetService(
      {
        findByEmail: () => Promise.resolve(account),
        replacePassword,
      } as unknown as AccountsRepository,
      codes,
      { notify: jest.fn() } as unknown as AccountMailsService,
      { endAllSessions: () => Promise.resolve() } as unknown as SessionsService,
      {} as BackgroundTasks,
      {} as MongoConnector,
      { failed: jest.fn() } as unknown as SignInLog,
    );
  });
  afterEach(() => dropTestDatabase(connection));

  const use = (code: string) =>
    reset.reset({ email: EMAIL, code, password: 'Corr3ct-Horse' }, CLIENT);

  it('still works after the password could not be hashed several times', async () => {
    const code = await codes.issue(ID, 'reset');
    for (let i = 0; i <= CODE_TRIES.ofAll; i++) {
      jest.mocked(hashAccountPassword).mockRejectedValueOnce(new HashingOverloadedError());
      await expect(use(code)).rejects.toThrow(HashingOverloadedError);
    }
    await expect(use(code)).resolves.toMatchObject({ success: true });
    await expect(use(code)).rejects.toThrow(CodeRefusedError);
    expect(replacePassword).toHaveBeenCalledTimes(1);
  });

  it('changes the password once, for any number of concurrent requests', async () => {
    const code = await codes.issue(ID, 'reset');
    const uses = await Promise.allSettled(Array.from({ length: 5 }, () => use(code)));
    expect(uses.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(replacePassword).toHaveBeenCalledTimes(1);
  });
});
