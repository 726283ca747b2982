import request from 'supertest';
import { type Service, startService } from '../../support/service';
import { aSession } from '../../support/statistics/statistics-world';

const MISSING = 'scope is missing: use all (your links) or anon (a public link, with short_code)';
const PATHS = ['/api/v1/stats', '/api/v1/export'];

describe.each([
  [{}, null],
  [{ DEFAULT_STATS_SCOPE: 'all' }, 'all'],
  [{ DEFAULT_STATS_SCOPE: 'anon' }, 'anon'],
])('Account statistics without a scope, with %j', (env, meaning) => {
  let service: Service;
  beforeAll(async () => (service = await startService({ env })));
  afterAll(() => service.stop());

  it.each(PATHS)(
    `of %s are ${meaning === null ? 'refused' : `those of scope=${meaning}`}`,
    async (path) => {
      const get = (query: object) =>
        request(service.url)
          .get(path)
          .query({ format: 'json', end_date: '2026-01-01', ...query })
          .set('Authorization', `Bearer ${aSession().token}`);
      const { status, body } = await get({});
      if (meaning === null) {
        expect([status, body]).toMatchObject([
          422,
          { code: 'validation_error', field: 'scope', error: MISSING },
        ]);
      } else {
        const named = await get({ scope: meaning });
        expect(status).toBe(meaning === 'all' ? 200 : 400);
        expect(status).toBe(named.status);
        if (meaning === 'all') expect(body).toMatchObject({ scope: 'all' });
        else expect(body).toMatchObject({ field: 'short_code' });
      }
      const neither = await get({ scope: 'mine' });
      expect([neither.status, neither.body]).toMatchObject([422, { field: 'scope' }]);
    },
  );
});
