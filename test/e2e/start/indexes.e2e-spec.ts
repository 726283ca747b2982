import mongoose from 'mongoose';
import { randomBytes } from 'node:crypto';
import request from 'supertest';
import { anAddress, shorten, visit } from '../../support/http';
import { becomes, health } from '../../support/health';
import { eventually, freePort, startService, type Service } from '../../support/service';

const stored = (alias: string, extra: object = {}) => ({
  alias,
  long_url: `https://example.com/${alias}`,
  owner: null,
  generation: 'v1',
  created_at: new Date(),
  updated_at: null,
  status: 'ACTIVE',
  closed_by_limit: false,
  password_hash: null,
  max_clicks: null,
  slots_taken: 0,
  slots_from: null,
  expire_after: null,
  block_bots: false,
  private_stats: false,
  total_clicks: 0,
  open_clicks: 0,
  last_click: null,
  touched_at: new Date(),
  ...extra,
});

describe('a database whose unique indexes cannot be created', () => {
  let service: Service;
  let database: mongoose.Connection;

  beforeAll(async () => {
    const [name, port] = [`t${randomBytes(6).toString('hex')}`, await freePort()];
    const uri = (process.env.CURTAIL_TEST_MONGO ?? '').replace('%DB%', name);
    database = await mongoose.createConnection(uri).asPromise();
    await database
      .collection('links')
      .insertMany([
        stored('twice'),
        stored('twice'),
        stored('plain'),
        stored('limited', { max_clicks: 1 }),
      ]);
    const starting = startService({ port, database: name });
    await eventually('it answers', async () => {
      try {
        return (await fetch(`http://127.0.0.1:${port}/health`)).status === 503;
      } catch {
        return false;
      }
    });
    const url = `http://127.0.0.1:${port}`;
    service = { url, port } as Service;
    running = starting;
  });
  let running: Promise<Service>;
  afterAll(async () => {
    await (await running).stop();
    await database.close();
  });

  it('receives no writes, redirects, and is ready once the cause is removed', async () => {
    const input = { long_url: 'https://example.com/', alias: 'requested' };
    const answers = await Promise.all(Array.from({ length: 15 }, () => shorten(service, input)));
    for (const { status, body } of answers) {
      expect([status, (body as { code: string }).code]).toEqual([503, 'internal_error']);
    }
    const from = { 'X-Forwarded-For': anAddress(), Accept: 'application/json' };
    const others = await Promise.all([
      request(service.url).get('/emoji?url=https://a.test/').set(from),
      request(service.url).post('/').type('form').send({ url: 'https://a.test/' }).set(from),
      request(service.url)
        .post('/auth/register')
        .send({ email: 'a@a.test', password: 'Secret-1234' })
        .set(from),
    ]);
    expect(others.map(({ status }) => status)).toEqual([503, 503, 503]);
    expect(await database.collection('links').countDocuments()).toBe(4);
    expect(await database.collection('accounts').countDocuments()).toBe(0);
    // Neither redirects nor links with a click limit need the unique index.
    expect((await visit(service, 'plain')).status).toBe(302);
    expect((await visit(service, 'limited')).status).toBe(302);
    expect((await visit(service, 'limited')).status).toBe(410);
    expect((await health(service)).checks.database).toBe('error');

    await database.collection('links').deleteOne({ alias: 'twice' });
    await becomes(service, 'healthy');
    const made = await Promise.all(Array.from({ length: 15 }, () => shorten(service, input)));
    expect(made.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(14).fill(409)]);
  });
});
