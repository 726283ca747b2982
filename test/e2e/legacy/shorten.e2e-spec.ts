import request from 'supertest';
import { anAddress, visit } from '../../support/http';
import { databaseOf } from '../../support/database';
import { startService, type Service } from '../../support/service';
import { aV0Link, getPath, postForm } from '../../support/legacy-requests';

const URL_ = 'https://example.com/A?b=c#d';
const HINT = 'Move to POST /api/v1/shorten for higher limits; see /docs';

describe('POST /', () => {
  let service: Service;

  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  it('returns 200 to JSON callers, with the short URL, the domain and the destination', async () => {
    const { status, body, headers } = await postForm(service, '/', { url: URL_ });
    expect(status).toBe(200);
    expect(body).toEqual({
      short_url: expect.stringMatching(
        new RegExp(`^http://localhost:${service.port}/[A-Za-z0-9]{6}$`),
      ),
      domain: 'localhost',
      original_url: URL_,
    });
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(headers['x-ratelimit-limit']).toBe('5');
    expect(headers['x-ratelimit-remaining']).toBe('4');
  });

  it('redirects all other callers to the result page with 302', async () => {
    for (const accept of ['text/html', null]) {
      const alias = `r${Math.random().toString(36).slice(2, 10)}`;
      const answer = await postForm(service, '/', { url: URL_, alias }, { accept });
      expect(answer.status).toBe(302);
      expect(answer.headers.location).toBe(`/result/${alias}`);
    }
  });

  it('creates links that redirect, without an owner, with public statistics, counted as v0', async () => {
    const code = await aV0Link(service, { url: URL_ });
    const answer = await visit(service, code);
    expect(answer.status).toBe(302);
    expect(answer.headers.location).toBe(URL_);
    const database = await databaseOf(service);
    const link = await database.collection('links').findOne({ alias: code });
    await database.close();
    expect(link).toMatchObject({ owner: null, private_stats: false, generation: 'v1' });
  });

  describe('input', () => {
    it('accepts a URL-encoded form, a multipart form or a query string', async () => {
      const query = { url: URL_ };
      for (const answer of [
        await postForm(service, '/', { url: URL_ }),
        await postForm(service, '/', { url: URL_ }, { multipart: true }),
        await postForm(service, '/', {}, { query }),
      ]) {
        expect(answer.status).toBe(200);
        expect(answer.body.original_url).toBe(URL_);
      }
    });

    it('prefers the form to the query string', async () => {
      const query = { url: 'https://loser.test/', alias: 'from-query' };
      const answer = await postForm(service, '/', { url: URL_ }, { query });
      expect(answer.body.original_url).toBe(URL_);
      expect(answer.body.short_url).toContain('/from-query');
    });

    it('treats an empty value as absent', async () => {
      const empty = { alias: '', password: '', 'max-clicks': '', 'block-bots': '' };
      const code = await aV0Link(service, empty);
      expect(code).toMatch(/^[A-Za-z0-9]{6}$/);
      const stats = await postForm(service, `/stats/${code}`);
      expect(stats.body).toMatchObject({ password: null, 'max-clicks': null, 'block-bots': false });
      expect((await postForm(service, '/', { url: '' })).body).toHaveProperty('UrlError');
    });

    it('does not read JSON bodies', async () => {
      const answer = await request(service.url)
        .post('/')
        .set({ 'X-Forwarded-For': anAddress(), Accept: 'application/json' })
        .send({ url: URL_ });
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual({ UrlError: expect.any(String) });
    });

    it('ignores credentials', async () => {
      const headers = { Authorization: 'Bearer svc_nonsense', Cookie: 'access_token=nonsense' };
      const answer = await postForm(service, '/', { url: URL_ }, { headers });
      expect(answer.status).toBe(200);
    });

    it('rejects files with 400 and bodies over the limit with 413', async () => {
      const file = await request(service.url)
        .post('/')
        .set({ 'X-Forwarded-For': anAddress(), Accept: 'application/json' })
        .attach('url', Buffer.from('x'), 'x.txt');
      expect(file.status).toBe(400);
      expect(file.headers['x-error-code']).toBe('validation_error');
      const big = await postForm(service, '/', { url: `https://a.test/${'x'.repeat(1_100_000)}` });
      expect(big.status).toBe(413);
      expect(big.headers['x-error-code']).toBe('payload_too_large');
      const torn = await request(service.url)
        .post('/')
        .set({ 'X-Forwarded-For': anAddress(), 'Content-Type': 'multipart/form-data' })
        .send('no boundary');
      expect(torn.status).toBe(400);
    });
  });

  it('creates a requested alias for exactly one of several concurrent callers', async () => {
    const fields = { url: URL_, alias: 'only-one-v0' };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => postForm(service, '/', fields)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { body } of answers.filter(({ status }) => status !== 200)) {
      expect(body).toEqual({
        AliasError: expect.stringMatching(/^Alias already exists/),
        alias: 'only-one-v0',
      });
    }
  });

  it('shares its aliases with v1', async () => {
    await aV0Link(service, { alias: 'one-namespace' });
    const answer = await request(service.url)
      .post('/api/v1/shorten')
      .set('X-Forwarded-For', anAddress())
      .send({ long_url: URL_, alias: 'one-namespace' });
    expect(answer.status).toBe(409);
  });

  it('sets the password, the click limit and bot blocking on request', async () => {
    const password = 'Geheim1@x';
    const locked = await aV0Link(service, { password });
    expect((await visit(service, locked)).status).toBe(401);
    expect((await visit(service, locked, { 'X-Link-Password': password })).status).toBe(302);
    const limited = await aV0Link(service, { 'max-clicks': '1' });
    expect((await visit(service, limited)).status).toBe(302);
    expect((await visit(service, limited)).status).toBe(410);
    const bot = { 'User-Agent': 'Googlebot/2.1' };
    for (const value of ['on', 'true', '1', 'yes', 'x']) {
      const guarded = await aV0Link(service, { 'block-bots': value });
      expect([value, (await visit(service, guarded, bot)).status]).toEqual([value, 403]);
    }
    for (const value of ['false', 'False', '0', 'off', 'OFF', 'no', 'No']) {
      const open = await aV0Link(service, { 'block-bots': value });
      expect([value, (await visit(service, open, bot)).status]).toEqual([value, 302]);
    }
  });

  it('allows 5 requests a minute per address, with a hint to v1 for programs', async () => {
    const address = anAddress();
    for (let i = 0; i < 5; i++) await postForm(service, '/', {}, { address });
    const json = await postForm(service, '/', { url: URL_ }, { address, accept: null });
    expect(json.status).toBe(429);
    expect(json.body).toEqual({
      error: expect.any(String),
      code: 'rate_limit_exceeded',
      hint: HINT,
    });
    expect(json.headers['x-svc-hint']).toBe(HINT);
    expect(Number(json.headers['retry-after'])).toBeGreaterThan(0);
    expect(json.headers['x-ratelimit-remaining']).toBe('0');
    const page = await postForm(service, '/', { url: URL_ }, { address, accept: 'text/html' });
    expect(page.status).toBe(429);
    expect(page.headers['x-svc-hint']).toBe(HINT);
    // A browser shows a form, without this hint.
    expect(page.text).not.toContain(HINT);
    // /emoji has a separate rate-limit window; the form has none.
    expect((await postForm(service, '/emoji', { url: URL_ }, { address })).status).toBe(200);
    expect((await getPath(service, '/', { address })).status).toBe(200);
  });
});
