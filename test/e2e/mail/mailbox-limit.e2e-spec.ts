import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { anAccount, anEmail, STRONG_PASSWORD } from '../../support/factories/accounts';
import { bearer, post } from '../../support/http';
import { mailsTo, newestCode } from '../../support/outbox';
import { databaseOf } from '../../support/database';
import { type Service, startService } from '../../support/service';

describe('A mailbox', () => {
  let service: Service;
  // The workers share one count.
  beforeAll(async () => (service = await startService({ env: { WEB_CONCURRENCY: '2' } })));
  afterAll(() => service.stop());

  const outbox = () => join(service.dataDir, 'outbox');
  const mailsLike = (pattern: RegExp) =>
    readdirSync(outbox())
      .filter((name) => name.endsWith('.eml'))
      .filter((name) => pattern.test(readFileSync(join(outbox(), name), 'utf8')));

  it('gets ten mails an hour, under whatever address, and the answers stay the same', async () => {
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
    // No code without its mail: an earlier one would have died for it.
    expect(await database.collection('codes').countDocuments()).toBe(10);
    await database.close();
    const token = answers[0]?.body.access_token as string;
    const again = await post(service, '/auth/send-verification').set(bearer(token));
    expect([again.status, again.body.expires_in]).toEqual([200, 600]);
    expect(mailsLike(/^To: box/im)).toHaveLength(10);
  });

  it('does not use up what another one gets', async () => {
    const { email } = await anAccount(service, anEmail());
    await newestCode(service, email);
    expect(mailsTo(service, email)).toHaveLength(1);
  });

  it('is named nowhere in the log', () => {
    expect(service.log()).toContain('A mail is left out');
    expect(service.log().toLowerCase()).not.toContain('box+');
  });
});
