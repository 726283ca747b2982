import request from 'supertest';
import { getPage, sendForm } from '../../support/account-pages';
import { anAccount, anEmail, STRONG_PASSWORD } from '../../support/factories/accounts';
import { cookiesOf } from '../../support/http';
import { freePort, type Service, startService } from '../../support/service';

describe('account pages', () => {
  const lookAt = async (
    env: Record<string, string>,
    look: (service: Service) => Promise<void>,
  ): Promise<void> => {
    const service = await startService({ env });
    try {
      await look(service);
    } finally {
      await service.stop();
    }
  };

  it('say that sign-in over plain http works only on this machine, and how to change that', () =>
    lookAt({ BASE_URL: 'http://go.example', COOKIE_SECURE: 'true' }, async (service) => {
      for (const path of ['/login', '/register']) {
        const { text } = await getPage(service, path);
        expect(text).toContain('You cannot sign in at this address');
        expect(text).toContain('COOKIE_SECURE=false');
      }
    }));

  it('say that an email could not be sent, on the page that asks for its code', async () => {
    await lookAt({ SMTP_URL: `smtp://127.0.0.1:${await freePort()}` }, async (service) => {
      const fields = { email: anEmail(), password: STRONG_PASSWORD };
      const registered = await sendForm(service, '/register', fields);
      expect([registered.status, registered.headers.location]).toEqual([
        303,
        '/register/verify?done=mail-failed',
      ]);
      const way = String(registered.headers.location);
      const verify = await getPage(service, way, { Cookie: cookiesOf(registered) });
      expect(verify.text).toContain('The email with the code could not be sent.');
      expect(verify.text).toContain('the mail server does not accept them');
      const reset = await getPage(service, '/login/reset-password');
      expect(reset.text).toContain('the mail server does not accept them');
    });
  });

  describe('without a mail server', () => {
    let service: Service;
    beforeAll(async () => (service = await startService({ own: true })));
    afterAll(() => service.stop());

    it('show the path of the outbox only to a browser on the same machine', async () => {
      const { cookies } = await anAccount(service);
      for (const path of ['/register/verify', '/login/reset-password']) {
        const cookie: Record<string, string> = path.startsWith('/register')
          ? { Cookie: cookies }
          : {};
        const local = await request(service.url)
          .get(path)
          .set({ Accept: 'text/html', ...cookie });
        expect(local.text).toContain(`${service.dataDir}/outbox`);
        for (const host of ['127.0.0.1', 'go.example']) {
          const remote = await getPage(service, path, { ...cookie, Host: host });
          expect(remote.status).toBe(200);
          expect(remote.text).toContain('No mail server is configured here');
          expect(remote.text).not.toContain(service.dataDir);
        }
      }
    });

    it('explain why visitors should sign in', async () => {
      const way = '/login?next=%2Fdashboard%2Fkeys';
      expect((await getPage(service, way)).text).toContain('Sign in to open the page.');
      const ended = await getPage(service, `${way}&done=session-ended`);
      expect(ended.text).toContain('Your session has ended.');
      const { text } = await getPage(service, '/login');
      expect(text).not.toContain('role="status"');
      expect(text).not.toContain('You cannot sign in');
    });

    it('list all problems of a registration at once', async () => {
      const { status, text } = await sendForm(service, '/register', {
        email: 'none',
        password: 'lower-case-1',
      });
      expect(status).toBe(422);
      expect(text).toContain('Enter your email address');
      expect(text).toContain('The password needs an upper-case letter.');
    });
  });
});
