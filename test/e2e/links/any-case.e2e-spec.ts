import { randomBytes } from 'node:crypto';
import { createConnection, type Connection, Types } from 'mongoose';
import request from 'supertest';
import { ApiClient } from '../../support/api-client';
import { clicksCounted } from '../../support/database';
import { storedDomain } from '../../support/factories/domains';
import { bearer, post, shorten, visit } from '../../support/http';
import { limitsFile } from '../../support/limits';
import { eventually, type Service, startService } from '../../support/service';
import { aLinkRecord } from '../../support/shared/stored-link';

const HOST = 'go.any-case.test';
const SITE = 'https://example.com/target';
const SETTINGS = {
  CASE_INSENSITIVE_ALIASES: 'true',
  LIMITS_FILE: limitsFile({ 'links.create': 'off' }),
};

describe('aliases whose case is ignored', () => {
  let service: Service;
  let database: Connection;
  let owner: ApiClient;
  const stored = new Map<string, string>();

  /** Stores links as an earlier release did, and starts the service afterwards. */
  beforeAll(async () => {
    const name = `t${randomBytes(6).toString('hex')}`;
    const mongoUri = (process.env['CURTAIL_TEST_MONGO'] ?? '').replace('%DB%', name);
    database = await createConnection(mongoUri).asPromise();
    const userId = new Types.ObjectId().toHexString();
    const domainId = await storedDomain({ mongoUri } as Service, { userId }, HOST);
    const aliases = ['Paper', 'PAPER', 'Formerly', `${domainId}/Poster`];
    for (const alias of aliases) {
      const { folded_alias, ...record } = aLinkRecord({
        alias,
        long_url: `https://example.com/${alias}`,
      });
      expect(folded_alias).toBe(alias.toLowerCase());
      await database.collection('links').insertOne(record);
      stored.set(alias, record._id.toHexString());
    }
    service = await startService({ env: SETTINGS, database: name });
    owner = await ApiClient.on(service);
    await eventually('the job has ended', () => service.log().includes('match in any case'));
  });
  afterAll(async () => {
    await service.stop();
    await database.close();
  });

  const get = (path: string) => request(service.url).get(path).redirects(0);
  const codeOf = async (asked: request.Test): Promise<unknown[]> => {
    const { status, body } = await asked;
    return [status, (body as { code?: string }).code];
  };
  const destinationOf = async (code: string, headers = {}): Promise<string | undefined> =>
    (await visit(service, code, headers)).headers.location;

  it('lead to their link in any case, on every route for visitors', async () => {
    const { id, alias } = await owner.aLink({ alias: 'Summer-Sale', private_stats: false });
    for (const code of ['SUMMER-SALE', 'summer-sale', 'summer-sALE', alias])
      expect(await destinationOf(code)).toBe(SITE);
    await clicksCounted(database, alias, 4);
    const shown = [`/summer-sale+`, '/result/summer-sale', '/api/v1/public/preview/summer-sale'];
    for (const path of shown) {
      const answer = await get(path).set('Accept', path.includes('api') ? '*/*' : 'text/html');
      expect([path, answer.status, answer.text]).toEqual([
        path,
        200,
        expect.stringContaining('Summer-Sale'),
      ]);
    }
    const code = await get('/summer-sale/qr.svg');
    expect(code.headers.etag).toBe((await get('/Summer-Sale/qr.svg')).headers.etag);
    const counted = await get('/api/v1/public/stats/SUMMER-sale');
    expect(counted.body).toMatchObject({ stats: { short_code: 'Summer-Sale' } });
    const legacy = await post(service, '/stats/summer-sale').set('Accept', 'application/json');
    expect(legacy.body).toMatchObject({ _id: 'Summer-Sale' });
    const report = { items: [{ code_or_url: 'SUMMER-SALE', reason: 'spam' }] };
    expect((await post(service, '/api/v1/reports', report)).body).toMatchObject({ accepted: 1 });
    expect((await owner.remove(id)).status).toBe(200);
    expect((await visit(service, 'summer-sale')).status).toBe(404);
  });

  it('match exactly in the tools of the owner', async () => {
    await owner.aLink({ alias: 'My-Own' });
    const paths = [`/api/v1/urls/localhost/my-own`, `/api/v1/stats?scope=all&short_code=my-own`];
    for (const path of paths)
      expect([path, (await owner.call('get', path)).status]).toEqual([path, 404]);
  });

  it('conflict with aliases that differ only in case', async () => {
    const { id } = await owner.aLink({ alias: 'Winter' });
    const other = await owner.aLink({ alias: 'Autumn', tags: [] });
    const taken = [409, 'conflict'];
    const made = { long_url: SITE, alias: 'WINTER' };
    expect(await codeOf(shorten(service, made))).toEqual(taken);
    expect(await codeOf(owner.call('post', '/api/v1/shorten', { ...made, tags: ['t'] }))).toEqual(
      taken,
    );
    expect(await codeOf(owner.update(other.id, { alias: 'winTER' }))).toEqual(taken);
    const links = [made, { long_url: SITE, alias: 'Spring' }, { long_url: SITE, alias: 'sprinG' }];
    const bulk = await owner.call('post', '/api/v1/urls/bulk/create', { links });
    const { results } = bulk.body as { results: { error_code: string | null }[] };
    expect(results.map(({ error_code }) => error_code)).toEqual(['conflict', null, 'conflict']);
    const legacy = await request(service.url)
      .post('/')
      .set('Accept', 'application/json')
      .type('form')
      .send({ url: SITE, alias: 'winter' });
    expect(legacy.body).toHaveProperty('AliasError');
    const check = await get('/api/v1/shorten/check-alias?alias=wINTER');
    expect(check.body).toEqual({ available: false, reason: 'taken' });
    expect((await owner.call('get', '/api/v1/tags')).body).toMatchObject({ tags: [] });
    const renamed = await owner.update(id, { alias: 'WinTer' });
    expect([renamed.status, renamed.body]).toMatchObject([200, { alias: 'WinTer' }]);
    expect((await visit(service, 'winter')).status).toBe(302);
  });

  it('are given to one of many concurrent requests', async () => {
    const bodies = Array.from({ length: 20 }, (_, i) => ({
      long_url: SITE,
      alias: 'concurrent'.replace(/./g, (letter, at: number) =>
        ((i + 1) >> at) & 1 ? letter.toUpperCase() : letter,
      ),
    }));
    const answers = await Promise.all(bodies.map((body) => shorten(service, body)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
  });

  it('from earlier releases match, and are found again when a collision ends', async () => {
    expect(await destinationOf('FORMERLY')).toBe('https://example.com/Formerly');
    const [warning] = service.log().match(/.*differ only in case.*/g) ?? [];
    expect(JSON.parse(warning ?? '')).toMatchObject({
      level: 'warn',
      count: 1,
      aliases: ['paper'],
    });
    const id = stored.get('PAPER') ?? '';
    expect(await destinationOf('PAPER')).toBe('https://example.com/PAPER');
    expect((await visit(service, 'paper')).status).toBe(404);
    expect(await codeOf(shorten(service, { long_url: SITE, alias: 'papeR' }))).toEqual([
      409,
      'conflict',
    ]);
    await database.collection('links').deleteOne({ _id: new Types.ObjectId(id) });
    await eventually(
      'the other link matches',
      async () => (await destinationOf('paper')) !== undefined,
    );
    expect(await destinationOf('paper')).toBe('https://example.com/Paper');
  });

  it('of a custom domain are separate', async () => {
    expect(await destinationOf('POSTER', { Host: HOST })).toMatch(/Poster$/);
    await owner.aLink({ alias: 'poster' });
    expect(await destinationOf('POSTER')).toBe(SITE);
    expect(await destinationOf('poster', { Host: HOST })).toMatch(/Poster$/);
  });

  it('of imported rows conflict, too, also within one file', async () => {
    await owner.aLink({ alias: 'Catalogue' });
    const file = `alias,url\ncatalogue,${SITE}/1\nLeaflet,${SITE}/2\nleaflet,${SITE}/3\n`;
    const rowsWith = async (options: object) => {
      const sent = await request(service.url)
        .post('/api/v1/imports')
        .set(bearer(owner.account.accessToken))
        .attach('file', Buffer.from(file), 'links.csv')
        .field('source', 'csv')
        .field('options', JSON.stringify(options));
      expect(sent.status).toBe(202);
      const path = `/api/v1/imports/${(sent.body as { id: string }).id}`;
      await eventually(
        'the import has ended',
        async () => ((await owner.call('get', path)).body as { state: string }).state === 'done',
      );
      const { body } = await owner.call('get', `${path}/rows`);
      return (body as { items: { verdict: string; message: string | null }[] }).items.map(
        ({ verdict, message }) => [verdict, message],
      );
    };
    expect(await rowsWith({ dry_run: true })).toEqual([
      ['alias_taken', 'Another link has the alias Catalogue: only the case differs'],
      ['created', null],
      ['alias_taken', 'Another link has the alias Leaflet: only the case differs'],
    ]);
    const renamed = (alias: string, holder: string): unknown =>
      expect.stringMatching(
        `^${alias} is taken by ${holder}, which differs only in case: the link is \\w{7} here$`,
      );
    expect(await rowsWith({ dry_run: false, on_conflict: 'rename' })).toEqual([
      ['renamed', renamed('catalogue', 'Catalogue')],
      ['created', null],
      ['renamed', renamed('leaflet', 'Leaflet')],
    ]);
  });
});
