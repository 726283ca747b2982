import type { Test } from 'supertest';
import { aSession, type Session, StatisticsWorld } from '../../support/statistics/statistics-world';

let world: StatisticsWorld;
let user: Session;
let id: string;
let alias: string;
beforeAll(async () => {
  world = await StatisticsWorld.open();
});
afterAll(() => world.close());
beforeEach(async () => {
  user = aSession();
  id = await world.link({ owner: user.id });
  alias = id;
});

const account = (query: object): Test =>
  world.get('/api/v1/stats', { scope: 'all', ...query }, user);
const link = (query: object): Test => world.get(`/api/v1/stats/links/${id}`, { ...query }, user);
const accountExport = (query: object): Test =>
  world.get('/api/v1/export', { scope: 'all', format: 'json', ...query }, user);
const linkExport = (query: object): Test =>
  world.get(`/api/v1/export/links/${id}`, { format: 'json', ...query }, user);
const shared = (query: object): Test =>
  world.get(`/api/v1/public/stats/${alias}`, { ...query }, user);

const everywhere = { account, link, accountExport, linkExport, shared };
const choosing = { account, link, accountExport, linkExport };

describe('Parameters of statistics and exports', () => {
  it.each(Object.entries(everywhere))('%s: an unreadable date returns 400', async (_, ask) => {
    for (const field of ['start_date', 'end_date']) {
      for (const value of ['yesterday', '2026-02-30', '2026-13-01', '-5', '']) {
        expect(await ask({ [field]: value })).toMatchObject({
          status: 400,
          body: { code: 'validation_error', field },
        });
      }
    }
  });

  it.each(Object.entries(everywhere))('%s: a start after the end returns 400', async (_, ask) => {
    const asked = [
      { start_date: '2026-05-02', end_date: '2026-05-01' },
      { start_date: '4000000000' },
      { start_date: '4000000000', end_date: '4100000000' },
    ];
    for (const query of asked) {
      expect(await ask(query)).toMatchObject({ status: 400, body: { field: 'start_date' } });
    }
  });

  it.each(Object.entries(everywhere))('%s: an unknown time zone returns 400', async (_, ask) => {
    for (const timezone of ['Mars/Olympus', '+01:00', '']) {
      expect(await ask({ timezone })).toMatchObject({ status: 400, body: { field: 'timezone' } });
    }
  });

  it.each(Object.entries(everywhere))('%s: a repeated parameter returns 422', async (_, ask) => {
    expect(await ask({ timezone: ['UTC', 'UTC'] })).toMatchObject({
      status: 422,
      body: { code: 'validation_error', field: 'timezone' },
    });
  });

  it.each(Object.entries(choosing))(
    '%s: unknown dimensions and metrics return 422',
    async (_, ask) => {
      for (const value of ['planet', 'time,planet', 'toString', '$where', 'bot']) {
        expect(await ask({ group_by: value })).toMatchObject({
          status: 422,
          body: { field: 'group_by' },
        });
      }
      expect(await ask({ metrics: 'clicks,hits' })).toMatchObject({
        status: 422,
        body: { field: 'metrics' },
      });
    },
  );

  it.each(Object.entries(choosing))('%s: malformed filters return 422', async (_, ask) => {
    const wrong = [
      'no json',
      '',
      '[]',
      '"Chrome"',
      'null',
      '{"browser":"Chrome"}',
      '{"browser":[1]}',
      '{"browser":{"$ne":"x"}}',
      '{"browser":[{"$gt":""}]}',
      '{"$where":"sleep(1000)"}',
    ];
    for (const filters of wrong) {
      expect(await ask({ filters })).toMatchObject({ status: 422, body: { field: 'filters' } });
    }
  });

  it.each(Object.entries(choosing))('%s: a misspelt filter name returns 422', async (_, ask) => {
    expect(await ask({ filters: '{"Browsers":["Chrome"]}' })).toMatchObject({
      status: 422,
      body: { field: 'Browsers', hint: 'Use browser instead of Browsers' },
    });
    expect(await ask({ filters: '{"planet":["Mars"]}' })).toMatchObject({ status: 200 });
  });

  it.each(Object.entries({ account, accountExport }))(
    '%s: unknown or missing scopes return 422',
    async (_, ask) => {
      for (const scope of ['', 'ALL', 'everything']) {
        expect(await ask({ scope })).toMatchObject({ status: 422, body: { field: 'scope' } });
      }
      expect(await ask({ scope: undefined })).toMatchObject({ status: 422 });
    },
  );

  it.each(Object.entries({ accountExport, linkExport }))(
    '%s: unknown or missing formats return 422',
    async (_, ask) => {
      for (const format of ['', 'CSV', 'pdf', undefined]) {
        expect(await ask({ format })).toMatchObject({ status: 422, body: { field: 'format' } });
      }
    },
  );

  it('a response contains all problems of a request', async () => {
    const { status, body } = await account({ scope: 'x', group_by: 'y' });
    expect(status).toBe(422);
    expect(body).toMatchObject({
      error: 'Validation failed for: scope, group_by',
      code: 'validation_error',
      details: [{ field: 'scope' }, { field: 'group_by' }],
    });
  });

  it.each(Object.entries({ link, linkExport }))(
    '%s: values above the maximum length return 422, and values of that length are accepted',
    async (_, ask) => {
      const limits = {
        device: 200,
        group_by: 200,
        metrics: 200,
        browser: 500,
        os: 500,
        country: 1000,
        city: 1000,
        utm_source: 1000,
        utm_medium: 1000,
        utm_campaign: 1000,
        referrer: 2000,
      };
      for (const [field, limit] of Object.entries(limits)) {
        const filling = { device: 'mobile,', group_by: 'time,', metrics: 'clicks,' }[field] ?? 'x';
        const long = filling.repeat(limit).slice(0, limit - (limit % filling.length));
        expect((await ask({ [field]: long })).status).toBe(200);
        expect(await ask({ [field]: filling.repeat(limit + 1) })).toMatchObject({
          status: 422,
          body: { field },
        });
      }
      const filters = JSON.stringify({ browser: ['x'.repeat(5000)] });
      expect(await ask({ filters })).toMatchObject({ status: 422, body: { field: 'filters' } });
    },
  );

  it.each(Object.entries({ link, linkExport, shared }))(
    '%s: dates and time zones of more than 50 characters return 422',
    async (_, ask) => {
      for (const field of ['start_date', 'end_date', 'timezone']) {
        expect(await ask({ [field]: '1'.repeat(51) })).toMatchObject({
          status: 422,
          body: { field },
        });
      }
    },
  );

  it('an unknown device returns 422', async () => {
    for (const ask of [link, linkExport, account, accountExport]) {
      expect(await ask({ device: 'desktop,fridge' })).toMatchObject({
        status: 422,
        body: { field: 'device' },
      });
      expect(await ask({ filters: '{"device":["fridge"]}' })).toMatchObject({
        status: 422,
        body: { field: 'filters' },
      });
    }
  });

  it('scope=anon requires short_code, which is neither a dimension nor a filter there', async () => {
    for (const ask of [account, accountExport]) {
      const anon = { scope: 'anon', short_code: alias };
      expect(await ask({ scope: 'anon' })).toMatchObject({
        status: 400,
        body: { field: 'short_code' },
      });
      expect(await ask({ ...anon, group_by: 'time,short_code' })).toMatchObject({
        status: 400,
        body: { field: 'group_by' },
      });
      for (const filters of ['{"short_code":["x"]}', '{"url_id":["x"]}']) {
        expect(await ask({ ...anon, filters })).toMatchObject({
          status: 400,
          body: { field: 'filters' },
        });
      }
      expect(await ask({ ...anon, url_id: 'x' })).toMatchObject({
        status: 400,
        body: { field: 'url_id' },
      });
    }
  });

  it('an invalid id returns 400, after the schema and before other checks', async () => {
    for (const path of ['/api/v1/stats/links/xyz', '/api/v1/export/links/xyz']) {
      const query = { format: 'json', start_date: 'never' };
      expect(await world.get(path, query, user)).toMatchObject({
        status: 400,
        body: { field: 'url_id' },
      });
      expect((await world.get(path, { format: 'json', group_by: 'x' }, user)).status).toBe(422);
    }
  });
});
