import { request as httpRequest } from 'node:http';
import request from 'supertest';
import { anAccount, anEmail, STRONG_PASSWORD } from '../../support/factories/accounts';
import { anAddress, cookieValue } from '../../support/http';
import { aLink } from '../../support/factories/links';
import { type Service, startService } from '../../support/service';

const WRONG = 'Wr0ng-Horse';

describe('Signing in', () => {
  let service: Service;
  beforeAll(async () => (service = await startService()));
  afterAll(() => service.stop());

  const login = (email: string, password = WRONG, from = anAddress(), cookie = '') => {
    const call = request(service.url).post('/auth/login').set('X-Forwarded-For', from);
    return (cookie === '' ? call : call.set('Cookie', cookie)).send({ email, password });
  };

  async function useUp(email: string): Promise<void> {
    for (let i = 0; i < 6; i++) {
      const answers = await Promise.all(Array.from({ length: 5 }, () => login(email)));
      expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([401]));
    }
  }

  it('sets a device cookie that is sent only to /auth', async () => {
    const email = anEmail();
    await anAccount(service, email);
    const answer = await login(email, STRONG_PASSWORD);
    const device = answer.get('Set-Cookie')?.find((line) => line.startsWith('device='));
    expect(device).toMatch(/^device=[\w.~-]+; Max-Age=31536000; Path=\/auth; .*HttpOnly/);
    expect(device).toMatch(/SameSite=Lax/);
    expect((await login(email)).get('Set-Cookie')).toBeUndefined();
  });

  it('is blocked after 30 wrong passwords an hour, but not for a known browser', async () => {
    const account = await anAccount(service);
    const device = `device=${cookieValue(account.cookies, 'device')}`;
    await useUp(account.email);
    const from = anAddress();
    const refused = await login(account.email, STRONG_PASSWORD, from);
    expect(refused.status).toBe(429);
    expect(refused.body).toEqual({ error: expect.any(String), code: 'rate_limit_exceeded' });
    expect(Number(refused.get('Retry-After'))).toBeGreaterThan(3000);
    // A refused attempt does not count towards the address's limit either.
    expect(refused.get('X-RateLimit-Remaining')).toBe('5');
    expect((await login(anEmail(), WRONG, from)).get('X-RateLimit-Remaining')).toBe('4');
    const owner = await login(account.email, STRONG_PASSWORD, anAddress(), device);
    expect(owner.status).toBe(200);
    const other = await anAccount(service);
    const foreign = `device=${cookieValue(other.cookies, 'device')}`;
    expect((await login(account.email, STRONG_PASSWORD, anAddress(), foreign)).status).toBe(429);
    const forged = device.replace(/.$/, (end) => (end === 'A' ? 'Q' : 'A'));
    expect((await login(account.email, STRONG_PASSWORD, anAddress(), forged)).status).toBe(429);
  });

  it('is blocked in the same way for an email without an account', async () => {
    const email = anEmail();
    await useUp(email);
    const refused = await login(` ${email.toUpperCase()} `, STRONG_PASSWORD);
    expect(refused.status).toBe(429);
    expect(refused.body).toEqual({ error: expect.any(String), code: 'rate_limit_exceeded' });
  });

  describe('with passwords whose check takes long', () => {
    beforeAll(async () => (service = await startService({ realHashing: true })));

    it('checks no passwords for disconnected clients', async () => {
      const { email } = await anAccount(service);
      await Promise.all(Array.from({ length: 25 }, () => hangUp(email)));
      // If refused attempts counted, there would be more than thirty attempts.
      for (let i = 0; i < 22; i++) expect((await login(email)).status).toBe(401);
    });

    function hangUp(email: string): Promise<void> {
      const body = JSON.stringify({ email, password: WRONG });
      return new Promise((resolve) => {
        const call = httpRequest(`${service.url}/auth/login`, {
          method: 'POST',
          agent: false,
          headers: {
            'Content-Type': 'application/json',
            'Content-Length': Buffer.byteLength(body),
            'X-Forwarded-For': anAddress(),
          },
        });
        call.on('error', () => undefined);
        call.on('close', () => resolve());
        // The response to a later request shows that the service has read this request.
        call.end(
          body,
          () =>
            void request(service.url)
              .get('/health')
              .then(() => call.destroy()),
        );
      });
    }

    async function order(calls: [string, request.Test][]): Promise<string[]> {
      const names: string[] = [];
      await Promise.all(calls.map(([name, call]) => call.then(() => names.push(name))));
      return names;
    }

    it('has priority over earlier requests from one client', async () => {
      const account = await anAccount(service);
      const flooder = anAddress();
      const flood = Array.from({ length: 5 }, (_, i): [string, request.Test] => [
        `flood ${i}`,
        login(anEmail(), WRONG, flooder),
      ]);
      const names = await order([...flood, ['owner', login(account.email, STRONG_PASSWORD)]]);
      expect(names.indexOf('owner')).toBeLessThan(4);
    });

    it('has priority over link passwords that were sent earlier', async () => {
      const account = await anAccount(service);
      const links = await Promise.all(
        Array.from({ length: 3 }, () => aLink(service, { password: 'Geheim1@x' })),
      );
      const guesser = anAddress();
      const guesses = Array.from({ length: 30 }, (_, i): [string, request.Test] => [
        `guess ${i}`,
        request(service.url)
          .get(`/${links[i % 3]?.alias ?? ''}`)
          .set({
            'X-Forwarded-For': guesser,
            'X-Link-Password': 'wrong',
            Accept: 'application/json',
          }),
      ]);
      const names = await order([...guesses, ['owner', login(account.email, STRONG_PASSWORD)]]);
      expect(names.indexOf('owner')).toBeLessThan(20);
    });
  });
});
