import type { Connection } from 'mongoose';
import { Types } from 'mongoose';
import { AccountRecord, AccountSchema } from '../../../src/accounts/account.schema';
import {
  EmailFormSetting,
  EmailFormSettingSchema,
  EmailFormsRepository,
} from '../../../src/accounts/email-forms/email-forms.repository';
import { EmailFormsService } from '../../../src/accounts/email-forms/email-forms.service';
import type { MongoConnector } from '../../../src/infrastructure/mongo/mongo-connector';
import { databaseOf } from '../../support/database';
import { post } from '../../support/http';
import { STRONG_PASSWORD } from '../../support/factories/accounts';
import { QuietLogger } from '../../support/quiet-logger';
import { eventually, startService } from '../../support/service';
import { dropTestDatabase, openTestDatabase, testDatabaseUri } from '../../support/test-database';

describe('Emails that an earlier release has stored', () => {
  let connection: Connection;
  let repository: EmailFormsRepository;
  let log: QuietLogger;
  let forms: EmailFormsService;

  beforeEach(async () => {
    connection = await openTestDatabase(testDatabaseUri());
    const accounts = connection.model(AccountRecord.name, AccountSchema);
    await accounts.createIndexes();
    repository = new EmailFormsRepository(
      accounts,
      connection.model(EmailFormSetting.name, EmailFormSettingSchema),
    );
    log = new QuietLogger();
    forms = new EmailFormsService(repository, {} as MongoConnector, log);
  });
  afterEach(() => dropTestDatabase(connection));

  async function store(...emails: string[]): Promise<string[]> {
    const documents = emails.map((email) => ({ _id: new Types.ObjectId(), email }));
    await connection.collection('accounts').insertMany(documents);
    return documents.map(({ _id }) => _id.toHexString());
  }

  const warnings = () => log.of('warn').map(({ extra }) => extra);
  const stored = async () =>
    (await connection.collection('accounts').find().sort({ _id: 1 }).toArray()).map(
      ({ email }) => email as string,
    );

  it('get the form in which they are looked up', async () => {
    await store('ann@example.com', 'bu\u0308ro@example.com', 'a@bücher.example');
    await forms.run(new Date());
    const expected = ['ann@example.com', 'b\u00fcro@example.com', 'a@xn--bcher-kva.example'];
    expect(await stored()).toEqual(expected);
    expect(warnings()).toEqual([]);
  });

  it('stay where two accounts would meet, and the ids of both are logged', async () => {
    const emails = [
      'a@bücher.example',
      'a@xn--bcher-kva.example',
      'bu\u0308ro@straße.example',
      'b\u00fcro@straße.example',
      'ann@example.com',
    ];
    const ids = await store(...emails);
    await forms.run(new Date());
    expect(await stored()).toEqual(emails);
    expect(warnings()).toEqual([{ accounts: [ids[1], ids[0]] }, { accounts: [ids[2], ids[3]] }]);
    expect(JSON.stringify(warnings())).not.toContain('@');
  });

  it('are looked through once, by one of several processes, and again after a failure', async () => {
    await store('a@bücher.example');
    const now = new Date();
    const next = jest.spyOn(repository, 'next').mockRejectedValueOnce(new Error('cut off'));
    await expect(forms.run(now)).rejects.toThrow('cut off');
    expect(await stored()).toEqual(['a@bücher.example']);
    next.mockClear();
    await Promise.all(Array.from({ length: 5 }, () => forms.run(now)));
    expect(await stored()).toEqual(['a@xn--bcher-kva.example']);
    const questions = next.mock.calls.length;
    await forms.run(now);
    expect(next.mock.calls).toHaveLength(questions);
    expect(questions).toBe(2);
  });

  it('does not hold up the start, and their owners can sign in afterwards', async () => {
    const first = await startService();
    const [email, form] = ['ann@bücher.example', 'ann@xn--bcher-kva.example'];
    const made = await post(first, '/auth/register', { email, password: STRONG_PASSWORD });
    expect([made.status, made.body.user.email]).toEqual([201, form]);
    const database = await databaseOf(first);
    await first.stop();
    const accounts = database.collection('accounts');
    await accounts.updateOne({ email: form }, { $set: { email } });
    await database.collection('settings').deleteOne({ _id: 'account_email_form' as never });
    const second = await startService({ database: first.database });
    await eventually(
      'the email has its form',
      async () => (await accounts.countDocuments({ email: form })) === 1,
    );
    const body = { email, password: STRONG_PASSWORD };
    expect((await post(second, '/auth/login', body)).status).toBe(200);
    const again = await post(second, '/auth/register', { ...body, email: 'Ann@BÜCHER.example' });
    expect(again.status).toBe(409);
    await database.close();
    await second.stop();
  });
});
