import request from 'supertest';
import {
  aVerifiedAccount,
  anAccount,
  anEmail,
  STRONG_PASSWORD,
} from '../../support/factories/accounts';
import { ApiClient } from '../../support/api-client';
import { bearer, cookiesOf, post, visit } from '../../support/http';
import { newestCode } from '../../support/outbox';
import { aLink } from '../../support/factories/links';
import { databaseOf, totalClicks } from '../../support/database';
import { clicksInChunks } from '../../support/click-store-reading';
import { redisInstalled, TestRedis } from '../../support/redis';
import { eventually, startService, type Service } from '../../support/service';

(redisInstalled ? describe : describe.skip)(
  'two machines on one MongoDB and one Redis (needs redis-server)',
  () => {
    let redis: TestRedis;
    let machines: [Service, Service];
    beforeAll(async () => {
      redis = await TestRedis.start();
      const env = { REDIS_URL: redis.url };
      const one = await startService({ env });
      machines = [one, await startService({ env, database: one.database })];
    });
    afterAll(async () => {
      await Promise.all(machines.map((machine) => machine.stop()));
      await redis.stop();
    });

    const onBoth = <T>(each: number, call: (machine: Service) => PromiseLike<T>): Promise<T[]> =>
      Promise.all(Array.from({ length: each * 2 }, (_, i) => call(machines[i % 2 ? 1 : 0])));

    it('accept a refresh token once, on either machine', async () => {
      const { cookies } = await anAccount(machines[0]);
      const refresh = (machine: Service, sent: string) =>
        post(machine, '/auth/refresh').set('Cookie', sent);
      const answers = await onBoth(4, (machine) => refresh(machine, cookies));
      const taken = answers.filter(({ status }) => status === 200);
      expect(taken).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 401)).toHaveLength(7);
      // All other requests reused the token, which ends the session on both machines.
      const next = await refresh(machines[1], cookiesOf(taken[0]!));
      expect(next.status).toBe(401);
    });

    it('accept a one-time code once', async () => {
      const [one] = machines;
      const account = await anAccount(one);
      const code = await newestCode(one, account.email);
      const answers = await onBoth(3, (machine) =>
        post(machine, '/auth/verify-email', { code }).set(bearer(account.accessToken)),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 400)).toHaveLength(5);
    });

    it('accept a reset code once, and end the sessions on the other machine', async () => {
      const [one, two] = machines;
      const email = anEmail();
      const { cookies } = await aVerifiedAccount(two, email);
      await post(one, '/auth/request-password-reset', { email });
      const code = await newestCode(one, email);
      const body = { email, code, password: `${STRONG_PASSWORD}-2` };
      const answers = await onBoth(2, (machine) => post(machine, '/auth/reset-password', body));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect((await post(two, '/auth/refresh').set('Cookie', cookies)).status).toBe(401);
    });

    it('show a renamed tag on the other machine, and no deleted tag there', async () => {
      const [one, two] = machines;
      const owner = await ApiClient.on(one);
      await owner.aLink({ tags: ['spring'] });
      const shown = async (): Promise<string> => {
        const filter = JSON.stringify({ untagged: false });
        const { status, body } = await owner.at(two).list({ filter });
        expect(status).toBe(200);
        const { items } = body as { items: { tags: string[] }[] };
        return items.map(({ tags }) => tags.join()).join();
      };
      expect(await shown()).toBe('spring');
      const { body } = await owner.call('get', '/api/v1/tags');
      const path = `/api/v1/tags/${(body as { tags: { id: string }[] }).tags[0]?.id}`;
      await owner.call('patch', path, { name: 'autumn' });
      await eventually('the new name is shown', async () => (await shown()) === 'autumn');
      await owner.call('delete', path);
      await eventually('no tag is shown', async () => (await shown()) === '');
    });

    it('enforce max_clicks exactly', async () => {
      const link = await aLink(machines[0], { max_clicks: 7 });
      const answers = await onBoth(15, (machine) => visit(machine, link.alias));
      expect(answers.filter(({ status }) => status === 302)).toHaveLength(7);
      expect(answers.filter(({ status }) => status === 410)).toHaveLength(23);
    });

    it('count every click once, with two recorders for the same click store', async () => {
      const link = await aLink(machines[0]);
      const connection = await databaseOf(machines[0]);
      let seen = 0;
      for (let round = 0; round < 4; round++) {
        const answers = await onBoth(20, (machine) => visit(machine, link.alias));
        seen += answers.filter(({ status }) => status === 302).length;
        // Each round ends with its own batch, so that both recorders write the store
        // alternately.
        await eventually(
          'the round is stored',
          async () => (await totalClicks(connection, link.id)) >= seen,
        );
      }
      expect(seen).toBe(160);
      expect(await totalClicks(connection, link.id)).toBe(160);
      expect(await clicksInChunks(connection, link.id)).toBe(160);
      await connection.close();
    });

    it('share accounts and links', async () => {
      const [one, two] = machines;
      const { email } = await aVerifiedAccount(one);
      const answer = await post(two, '/auth/login', { email, password: STRONG_PASSWORD });
      expect(answer.status).toBe(200);
      const made = await request(one.url)
        .post('/api/v1/shorten')
        .set(bearer(answer.body.access_token as string))
        .send({ long_url: 'https://example.com/', alias: 'from-one' });
      expect(made.status).toBe(201);
      expect((await visit(two, 'from-one')).status).toBe(302);
    });
  },
);
