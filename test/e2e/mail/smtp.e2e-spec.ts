import request from 'supertest';
import { anAccount, anEmail, STRONG_PASSWORD } from '../../support/factories/accounts';
import { bearer, post } from '../../support/http';
import { eventually, freePort, type Service, startService } from '../../support/service';
import { SilentServer, TestSmtp } from '../../support/smtp';

const health = async (service: Service) =>
  (await request(service.url).get('/health')).body as {
    status: string;
    checks: { mail: string };
  };

describe('Mail over SMTP', () => {
  let smtp: TestSmtp;
  let service: Service;
  beforeAll(async () => {
    smtp = await TestSmtp.start();
    service = await startService({
      env: { SMTP_URL: smtp.url, MAIL_FROM: 'Short & Sweet <links@short.example>' },
    });
  });
  afterAll(async () => {
    await service.stop();
    await smtp.stop();
  });

  const register = (email: string) =>
    post(service, '/auth/register', { email, password: STRONG_PASSWORD });

  it('delivers the codes and the welcome email, as text and as HTML', async () => {
    const email = anEmail();
    const registered = await register(email);
    expect(registered.body.verification_sent).toBe(true);
    const mail = await smtp.mailTo(email, /verification code/);
    expect(mail.from?.value).toEqual([{ name: 'Short & Sweet', address: 'links@short.example' }]);
    const code = /^(\d{6})$/m.exec(mail.text ?? '')?.[1] ?? '';
    expect(mail.html).toContain(`>${code}<`);
    const answer = await post(service, '/auth/verify-email', { code }).set(
      bearer(registered.body.access_token as string),
    );
    expect(answer.status).toBe(200);
    const welcome = await smtp.mailTo(email, /Welcome/);
    expect(welcome.text).toContain(`http://localhost:${service.port}/`);
    await post(service, '/auth/request-password-reset', { email });
    const reset = await smtp.mailTo(email, /reset/);
    expect(reset.text).toMatch(/^\d{6}$/m);
    expect(reset.html).toMatch(/>\d{6}</);
  });

  it('has codes in its subjects, and links to the pages that accept them', async () => {
    const email = anEmail();
    const { body } = await register(email);
    const base = `http://localhost:${service.port}`;
    const mail = await smtp.mailTo(email, /verification code/);
    const code = /^(\d{6})$/m.exec(mail.text ?? '')?.[1] ?? '';
    expect(mail.subject).toBe(`Your verification code: ${code} (localhost:${service.port})`);
    expect(mail.text).toContain(`${base}/register/verify\n`);
    expect(mail.html).toContain(`href="${base}/register/verify"`);
    await post(service, '/auth/request-password-reset', { email });
    const reset = await smtp.mailTo(email, /reset/);
    expect(reset.subject).toMatch(/^Your password reset code: \d{6} \(/);
    expect(reset.html).toContain(`href="${base}/login/reset-password"`);

    const changed = await post(service, '/auth/change-password', {
      current_password: STRONG_PASSWORD,
      password: 'Difference-Engine-2',
    }).set(bearer((body as { access_token: string }).access_token));
    expect(changed.status).toBe(200);
    const notice = await smtp.mailTo(email, /^Your password was changed/);
    expect(notice.text).toContain('all other sessions were ended');
    expect(notice.text).not.toMatch(/https?:/);
  });

  it('does not block an action if the server rejects the email about it', async () => {
    const email = anEmail();
    const registered = await register(email);
    const mail = await smtp.mailTo(email, /verification code/);
    const code = /^(\d{6})$/m.exec(mail.text ?? '')?.[1] ?? '';
    const verified = await post(service, '/auth/verify-email', { code }).set(
      bearer(registered.body.access_token as string),
    );
    const key = (name: string) =>
      post(service, '/api/v1/keys', { name, scopes: ['urls:read'] }).set(
        bearer(verified.body.access_token as string),
      );
    await smtp.mailTo(email, /Welcome/);
    smtp.refusing = true;
    try {
      expect((await key('first')).status).toBe(201);
      await eventually('the notice has failed', () =>
        service.log().includes('Could not send an email'),
      );
    } finally {
      smtp.refusing = false;
    }
    expect((await key('second')).status).toBe(201);
    expect((await smtp.mailTo(email, /API key/)).text).toContain('“second”');
  });

  it('is reported as healthy', async () => {
    expect(await health(service)).toMatchObject({ status: 'healthy', checks: { mail: 'ok' } });
  });

  it('does not block a registration if the server rejects the email', async () => {
    smtp.refusing = true;
    try {
      const answer = await register(anEmail());
      expect([answer.status, answer.body.verification_sent]).toEqual([201, false]);
      const token = answer.body.access_token as string;
      const again = await post(service, '/auth/send-verification').set(bearer(token));
      expect([again.status, again.body.code]).toEqual([500, 'internal_error']);
      const asked = await post(service, '/auth/request-password-reset', {
        email: answer.body.user.email as string,
      });
      expect(asked.status).toBe(200);
    } finally {
      smtp.refusing = false;
    }
  });
});

describe('Mail while its server', () => {
  async function expectRegistrationWith(url: string): Promise<void> {
    const service = await startService({ env: { SMTP_URL: url } });
    try {
      const email = anEmail();
      const answer = await post(service, '/auth/register', { email, password: STRONG_PASSWORD });
      expect([answer.status, answer.body.verification_sent]).toEqual([201, false]);
      expect(await health(service)).toMatchObject({
        status: 'degraded',
        checks: { mail: 'error' },
      });
      const login = await post(service, '/auth/login', { email, password: STRONG_PASSWORD });
      expect(login.status).toBe(200);
      expect(service.log()).toContain('Could not send an email');
      expect(service.log()).not.toContain('p-of-smtp');
    } finally {
      await service.stop();
    }
  }

  it('is unreachable does not block a registration', async () => {
    await expectRegistrationWith(`smtp://u:p-of-smtp@127.0.0.1:${await freePort()}`);
  });

  it('does not respond does not block a registration', async () => {
    const silent = new SilentServer();
    const port = await silent.start();
    try {
      await expectRegistrationWith(`smtp://u:p-of-smtp@127.0.0.1:${port}`);
    } finally {
      await silent.stop();
    }
  });

  it('rejects the sign-in does not block a registration', async () => {
    const smtp = await TestSmtp.start();
    try {
      await expectRegistrationWith(smtp.url.replace(/:[^:@]+@/, ':p-of-smtp@'));
    } finally {
      await smtp.stop();
    }
  });
});

describe('Mail without a server', () => {
  it('is stored in the outbox, and the log contains the file name but not the code', async () => {
    const service = await startService({ env: { LOG_LEVEL: 'info' } });
    try {
      await anAccount(service);
      // Log lines arrive slightly after the response.
      await eventually('the log names it', () =>
        /wrote an email to .*outbox.*\.eml/.test(service.log()),
      );
      expect(await health(service)).toMatchObject({ checks: { mail: 'not_configured' } });
    } finally {
      await service.stop();
    }
  });
});
