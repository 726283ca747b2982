import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { anAccount, anEmail, STRONG_PASSWORD } from '../../support/factories/accounts';
import { bearer, post } from '../../support/http';
import { mailsTo, newestCode } from '../../support/outbox';
import { databaseOf } from '../../support/database';
import { eventually, type Service, startService } from '../../support/service';

describe('A mailbox', () => {
  let service: Service;
  beforeAll(async () => (service = await startService({ env: { WEB_CONCURRENCY: '2' } })));
  afterAll(() => service.stop());

  const outbox = () => join(service.dataDir, 'outbox');
  const mailsLike = (pattern: RegExp) =>
    readdirSync(outbox())
      .filter((name) => name.endsWith('.eml'))
      .filter((name) => pattern.test(readFileSync(join(outbox(), name), 'utf8')));

  it('gets ten emails an hour, for all its addresses, and API responses stay the same', async () => {
    const password = STRONG_PASSWORD;
    const emails = Array.from({ length: 14 }, (_, i) => `bo${i % 2 ? 'x' : 'X'}+${i}@Example.com`);
    const answers = await Promise.all(
      emails.map((email) => post(service, '/auth/register', { email, password })),
    );
    for (const { status, body } of answers) {
      expect([status, body.verification_sent]).toEqual([201, true]);
    }
    expect(mailsLike(/^To: box/im)).toHaveLength(10);
    const database = await databaseOf(service);
    // No email means no new code, so the earlier code is still valid.
    expect(await database.collection('codes').countDocuments()).toBe(10);
    await database.close();
    const token = answers[0]?.body.access_token as string;
    const again = await post(service, '/auth/send-verification').set(bearer(token));
    expect([again.status, again.body.expires_in]).toEqual([200, 600]);
    expect(mailsLike(/^To: box/im)).toHaveLength(10);
  });

  it('does not use up the limit of another mailbox', async () => {
    const { email } = await anAccount(service, anEmail());
    await newestCode(service, email);
    expect(mailsTo(service, email)).toHaveLength(1);
  });

  it('cannot be registered in a quoted spelling, which would allow many accounts', async () => {
    const password = STRONG_PASSWORD;
    for (const local of ['"victim"', '"v\\ictim"', '"vi\\ctim"', 'vic\u200btim', '\uff56ictim']) {
      const email = `${local}@example.com`;
      const { status, body } = await post(service, '/auth/register', { email, password });
      expect([email, status, body.field ?? body.details]).toEqual([email, 422, expect.anything()]);
    }
    expect(mailsLike(/^To:.*ictim/im)).toEqual([]);
  });

  it('includes its quoted and dotted spellings, and accounts from earlier releases remain', async () => {
    const { email, password } = await anAccount(service, 'plain.box@example.com');
    const database = await databaseOf(service);
    const accounts = database.collection('accounts');
    // Earlier releases stored no `addresses`.
    const { _id, addresses, ...known } = (await accounts.findOne({ email })) as Record<
      string,
      unknown
    >;
    expect([_id, addresses]).toEqual([expect.anything(), [email]]);
    const spellings = ['"plain.box"', '"p\\lain.box"', '"pl\\ain.box"', 'pla.inbox', 'p.lainbox'];
    await accounts.insertMany(
      spellings.map((local) => ({ ...known, email: `${local}@example.com` })),
    );
    await database.close();
    for (const local of spellings) {
      const signIn = { email: `${local}@example.com`, password };
      expect((await post(service, '/auth/login', signIn)).status).toBe(200);
      for (let i = 0; i < 3; i++) {
        await post(service, '/auth/request-password-reset', { email: signIn.email });
      }
    }
    await eventually(
      'the emails have gone out',
      () => mailsLike(/^To:.*a.?in.*box/im).length >= 10,
    );
    await eventually(
      'an email is skipped',
      () => service.log().split('Skipped an email').length > 11,
    );
    expect(mailsLike(/^To:.*a.?in.*box/im)).toHaveLength(10);
  });

  it('never appears in the log', () => {
    expect(service.log()).toContain('Skipped an email');
    expect(service.log().toLowerCase()).not.toContain('box+');
  });
});
