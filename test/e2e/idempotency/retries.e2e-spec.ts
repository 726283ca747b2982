import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Connection, Types } from 'mongoose';
import request, { type Response, type Test } from 'supertest';
import { MAX_KEYS } from '../../../src/api-keys/api-key';
import { toRequestId } from '../../../src/idempotency/idempotency-key';
import { aKey, aVerifiedAccount, type TestAccount } from '../../support/factories/accounts';
import { databaseOf } from '../../support/database';
import { anAddress, bearer, post } from '../../support/http';
import { type Service, startService } from '../../support/service';

interface StoredRequest {
  _id: string;
  state: string;
  holder: string | null;
  process: { host: string; pid: number; startTime: string | null };
  lease_until: Date;
  expires_at: Date;
}

const LIMITS = {
  'links.create': { authenticated: ['1000/minute'], anonymous: ['20/minute'] },
  'keys.create': 'off',
};
const SHORTEN = '/api/v1/shorten';
const KEYS = '/api/v1/keys';
const underLease = () => ({ lease_until: new Date(Date.now() + 60_000) });
const ELSEWHERE = { host: 'another machine', pid: 1, startTime: null };

describe('a request with an Idempotency-Key', () => {
  let folder: string;
  let service: Service;
  let database: Connection;
  let account: TestAccount;
  let other: TestAccount;
  let apiKey: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'curtail-limits-'));
    const limits = join(folder, 'limits.json');
    writeFileSync(limits, JSON.stringify(LIMITS));
    service = await startService({ env: { LIMITS_FILE: limits } });
    database = await databaseOf(service);
    account = await aVerifiedAccount(service);
    other = await aVerifiedAccount(service);
    apiKey = await aKey(service, account, ['shorten:create']);
  });
  afterAll(async () => {
    await database.close();
    await service.stop();
    rmSync(folder, { recursive: true });
  });

  const requests = () => database.collection<StoredRequest>('idempotency');
  const aBody = () => ({ long_url: `https://example.com/${randomUUID()}` });
  const linksTo = ({ long_url }: { long_url: string }) =>
    database.collection('links').countDocuments({ long_url });

  const send = (path: string, key: string, body: object, by = bearer(account.accessToken)): Test =>
    post(service, path, body).set('Idempotency-Key', key).set(by);
  const shorten = (key: string, body: object, by?: Record<string, string>) =>
    send(SHORTEN, key, body, by);
  const anonymously = (key: string, body: object, address = anAddress()) =>
    shorten(key, body, { 'X-Forwarded-For': address });

  function expectReplay(first: Response, second: Response): void {
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect([second.status, second.text]).toEqual([first.status, first.text]);
    expect(second.headers['content-type']).toBe(first.headers['content-type']);
    expect(second.headers['x-error-code']).toBe(first.headers['x-error-code']);
  }

  /** State of a request whose process was killed before it stored the response. */
  async function loseAnswer(
    path: string,
    key: string,
    ids: readonly string[],
    changes: Partial<StoredRequest> = {},
  ): Promise<void> {
    const _id = toRequestId(account.userId, 'POST', path, key);
    const lost = {
      state: 'running',
      holder: 'a try that was killed',
      process: ELSEWHERE,
      lease_until: new Date(Date.now() - 1),
      ids: ids.map((id) => new Types.ObjectId(id)),
      ...changes,
    };
    const { matchedCount } = await requests().updateOne(
      { _id },
      { $set: lost, $unset: { status: 1, body: 1, headers: 1 } },
    );
    expect(matchedCount).toBe(1);
  }

  describe('that has completed', () => {
    it.each<[string, (key: string, body: object) => Test]>([
      ['in the same way', (key, body) => shorten(key, body)],
      ['with the key in quotes', (key, body) => shorten(`"${key}"`, body)],
      ['with another credential of the account', (key, body) => shorten(key, body, bearer(apiKey))],
      [
        'with other white space and another order of names',
        (key, body) => {
          const members = Object.entries(body).map((each) => each.map((v) => JSON.stringify(v)));
          const text = members.map(([name, value]) => `  ${name} :\n${value}`).reverse();
          const asked = post(service, SHORTEN).set(bearer(account.accessToken));
          return asked
            .set('Idempotency-Key', key)
            .type('json')
            .send(`{${text.join(' ,')}}`);
        },
      ],
    ])('gets exactly the same response when it is sent again %s', async (_, again) => {
      const [key, body] = [randomUUID(), { ...aBody(), max_clicks: 7, block_bots: true }];
      const first = await shorten(key, body);
      expect(first.status).toBe(201);
      expectReplay(first, await again(key, body));
      expect(await linksTo(body)).toBe(1);
    });

    it('gets the same response after the link has changed or been deleted', async () => {
      const [key, body] = [randomUUID(), aBody()];
      const first = await shorten(key, body);
      const url = `/api/v1/urls/${String(first.body.id)}`;
      const owner = bearer(account.accessToken);
      await request(service.url).patch(url).set(owner).send({ max_clicks: 3 }).expect(200);
      expectReplay(first, await shorten(key, body));
      await request(service.url).delete(url).set(owner).expect(200);
      expectReplay(first, await shorten(key, body));
      expect(await linksTo(body)).toBe(0);
    });

    it('gets a new request id, counts towards its limit, and has a header that browsers can read', async () => {
      const [key, body, address] = [randomUUID(), aBody(), anAddress()];
      const first = await anonymously(key, body, address);
      const second = await anonymously(key, body, address).set('Origin', 'https://example.org');
      expectReplay(first, second);
      expect(second.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
      const left = [first, second].map(({ headers }) => Number(headers['x-ratelimit-remaining']));
      expect(left).toEqual([19, 18]);
      expect(second.headers['access-control-expose-headers']).toContain('Idempotent-Replayed');
    });

    it.each<[string, (key: string, body: object) => Test]>([
      ['another account', (key, body) => shorten(key, body, bearer(other.accessToken))],
      ['nobody', (key, body) => anonymously(key, body)],
      ['another key', (_, body) => shorten(randomUUID(), body)],
      ['no key', (_, body) => post(service, SHORTEN, body).set(bearer(account.accessToken))],
    ])('is a different request for %s', async (_, again) => {
      const [key, body] = [randomUUID(), aBody()];
      expect((await shorten(key, body)).status).toBe(201);
      const second = await again(key, body);
      expect(second.status).toBe(201);
      expect(second.headers['idempotent-replayed']).toBeUndefined();
      expect(await linksTo(body)).toBe(2);
    });

    it('belongs to the client address if the caller has no account', async () => {
      const [key, body, address] = [randomUUID(), aBody(), anAddress()];
      const first = await anonymously(key, body, address);
      expectReplay(first, await anonymously(key, body, address));
      const [, stranger] = [await linksTo(body), await anonymously(key, body)];
      expect(stranger.headers['idempotent-replayed']).toBeUndefined();
      expect(await linksTo(body)).toBe(2);
    });

    it('is independent of requests to other routes with the same key', async () => {
      const key = randomUUID();
      expect((await shorten(key, aBody())).status).toBe(201);
      const made = await send(KEYS, key, { name: 'CI', scopes: ['urls:read'] });
      expect(made.status).toBe(201);
      expect(made.headers['idempotent-replayed']).toBeUndefined();
    });

    it('expires a day after the first request', async () => {
      const [key, body] = [randomUUID(), aBody()];
      await shorten(key, body).expect(201);
      const _id = toRequestId(account.userId, 'POST', SHORTEN, key);
      const kept = await requests().findOne({ _id });
      const hours = (kept!.expires_at.getTime() - Date.now()) / 3_600_000;
      expect(Math.round(hours)).toBe(24);
      await requests().updateOne({ _id }, { $set: { expires_at: new Date() } });
      expect((await shorten(key, aBody())).status).toBe(201);
      expect(await linksTo(body)).toBe(1);
    });
  });

  describe('whose key was sent with a different body', () => {
    const FIELD = 'Idempotency-Key';

    it('returns 422, both after and during the first request', async () => {
      const [key, body] = [randomUUID(), aBody()];
      const first = await shorten(key, body);
      const refused = await shorten(key, { ...body, max_clicks: 1 });
      expect([refused.status, refused.body.field]).toEqual([422, FIELD]);
      expectReplay(first, await shorten(key, body));
      await loseAnswer(SHORTEN, key, [first.body.id as string], underLease());
      expect((await shorten(key, { ...body, max_clicks: 1 })).body.field).toBe(FIELD);
      expect(await linksTo(body)).toBe(1);
    });

    it('returns 422 if a value is omitted, null or of another type', async () => {
      const [key, body] = [randomUUID(), { ...aBody(), max_clicks: null, alias: null }];
      await shorten(key, body).expect(201);
      await shorten(key, { ...body, alias: undefined }).expect(422);
      await shorten(key, { ...body, max_clicks: 0 }).expect(422);
      await shorten(key, body).expect(201);
    });
  });

  describe('whose key', () => {
    it.each<[string, string | string[]]>([
      ['is empty', ''],
      ['has 256 characters', 'k'.repeat(256)],
      ['has a space', 'a b'],
      ['has a letter beyond ASCII', 'clé'],
      ['comes in two lines', ['a', 'b']],
      ['comes in two equal lines', ['a', 'a']],
      ['is an empty string of Structured Fields', '""'],
      ['opens quotes that it does not close', '"abc'],
      ['has something behind its quotes', '"abc";n=1'],
      ['has a space in quotes', '"a b"'],
      ['has a lone backslash in quotes', '"a\\b"'],
      ['has 256 characters in quotes', `"${'k'.repeat(256)}"`],
    ])('%s returns 400', async (_, key) => {
      const body = aBody();
      const answer = await shorten(key as string, body);
      expect(answer.body).toMatchObject({ code: 'validation_error', field: 'Idempotency-Key' });
      expect([answer.status, await linksTo(body)]).toEqual([400, 0]);
    });

    it.each([
      ['one character', '~', '~'],
      ['255 characters', 'k'.repeat(255), `"${'k'.repeat(255)}"`],
      ['quotes and backslashes', 'a"b\\c', '"a\\"b\\\\c"'],
    ])('has %s is the same with quotes', async (_, key, quoted) => {
      const body = aBody();
      expectReplay(await shorten(key, body), await shorten(quoted, body));
    });

    it('is invalid is rejected after the credential and the schema are checked', async () => {
      const shapeless = await shorten('a b', { long_url: 1 });
      expect([shapeless.status, shapeless.body.field]).toEqual([422, 'long_url']);
      expect((await shorten('a b', aBody(), bearer('svc_wrong'))).status).toBe(401);
    });
  });

  describe('that was rejected', () => {
    it.each<[string, number, object, () => Promise<unknown>]>([
      ['by a rule', 400, { expire_after: 1_000_000_000 }, () => Promise.resolve()],
      [
        'because the alias is taken',
        409,
        { alias: 'taken-before' },
        () => database.collection('links').deleteMany({ alias: 'taken-before' }),
      ],
    ])('%s is rejected again after any change', async (_, status, wrong, change) => {
      if (status === 409) await shorten(randomUUID(), { ...aBody(), ...wrong }).expect(201);
      const [key, body] = [randomUUID(), { ...aBody(), ...wrong }];
      const first = await shorten(key, body);
      expect(first.status).toBe(status);
      await change();
      expectReplay(first, await shorten(key, body));
      expect((await shorten(key, aBody())).status).toBe(422);
    });

    it.each<[string, number, object, Record<string, string> | undefined]>([
      ['for its shape', 422, { max_clicks: 'many' }, undefined],
      ['for its credential', 401, {}, bearer('svc_wrong')],
      ['for what needs an account', 401, { private_stats: true }, {}],
    ])('%s is tried again', async (_, status, wrong, by) => {
      const [key, body, address] = [randomUUID(), aBody(), anAddress()];
      const from = { 'X-Forwarded-For': address };
      const refused = await shorten(key, { ...body, ...wrong }, by && { ...from, ...by });
      expect(refused.status).toBe(status);
      const made = await shorten(key, body, by && from);
      expect(made.status).toBe(201);
      expect(made.headers['idempotent-replayed']).toBeUndefined();
    });
  });

  describe('that another process runs', () => {
    it('waits for the response', async () => {
      const [key, body] = [randomUUID(), aBody()];
      const first = await shorten(key, body);
      const _id = toRequestId(account.userId, 'POST', SHORTEN, key);
      const done = await requests().findOne({ _id });
      await loseAnswer(SHORTEN, key, [first.body.id as string], underLease());
      const waiting = Array.from({ length: 5 }, () => shorten(key, body));
      const answers = Promise.all(waiting);
      await requests().replaceOne({ _id }, done!);
      for (const answer of await answers) expectReplay(first, answer);
    });

    it('returns 409 after ten seconds, and can be repeated after one second', async () => {
      const [key, body] = [randomUUID(), aBody()];
      const first = await shorten(key, body);
      await loseAnswer(SHORTEN, key, [first.body.id as string], underLease());
      const answer = await shorten(key, body);
      expect([answer.status, answer.body.code]).toEqual([409, 'conflict']);
      expect(answer.headers['retry-after']).toBe('1');
      expect(await linksTo(body)).toBe(1);
    });

    it('continues here when that process stops', async () => {
      const [key, body] = [randomUUID(), aBody()];
      const first = await shorten(key, body);
      await loseAnswer(SHORTEN, key, [first.body.id as string], underLease());
      const answer = shorten(key, body).then((each) => each);
      const _id = toRequestId(account.userId, 'POST', SHORTEN, key);
      await requests().updateOne({ _id }, { $set: { holder: null } });
      expect((await answer).text).toBe(first.text);
      expect(await linksTo(body)).toBe(1);
    });
  });

  describe('whose process was killed', () => {
    /** A process id above the Linux maximum, so that no such process exists. */
    const GONE = { host: hostname(), pid: 2 ** 22 + 1, startTime: null };

    it.each([
      ['when its lease has run out', {}],
      ['at once where the process is known to be gone', { process: GONE, ...underLease() }],
    ])('is completed by the next process with the same ids, %s', async (_, changes) => {
      const [key, body] = [randomUUID(), { ...aBody(), alias: `kept-${randomUUID()}` }];
      const first = await shorten(key, body);
      const id = first.body.id as string;
      await loseAnswer(SHORTEN, key, [id], changes);
      const second = await shorten(key, body);
      expect([second.status, second.text]).toEqual([201, first.text]);
      expect(await linksTo(body)).toBe(1);
      expectReplay(first, await shorten(key, body));
    });

    it('creates only the missing link', async () => {
      const [key, body] = [randomUUID(), aBody()];
      const first = await shorten(key, body);
      const id = first.body.id as string;
      await database.collection('links').deleteMany({ long_url: body.long_url });
      await loseAnswer(SHORTEN, key, [id]);
      const answers = await Promise.all(Array.from({ length: 6 }, () => shorten(key, body)));
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      expect(answers[0]!.body.id).toBe(id);
      expect(await linksTo(body)).toBe(1);
    });
  });

  describe('for an API key', () => {
    const body = { name: 'deploy', scopes: ['urls:read'] };
    const made = (key: string, by: TestAccount) => send(KEYS, key, body, bearer(by.accessToken));

    it('returns the key again, although the database does not contain it', async () => {
      const key = randomUUID();
      const first = await made(key, account);
      expectReplay(first, await made(key, account));
      const token = first.body.token as string;
      const kept = await requests().find({}, { raw: true }).toArray();
      const bytes = Buffer.concat(kept as unknown as Uint8Array[]).toString('latin1');
      expect(bytes).toContain(toRequestId(account.userId, 'POST', KEYS, key));
      expect(bytes).not.toContain(token.slice(4));
      expect(bytes).not.toContain(key);
    });

    it("uses one of the account's places after a kill, even the last one, and returns a working key", async () => {
      account = await aVerifiedAccount(service);
      const key = randomUUID();
      for (let n = 1; n < MAX_KEYS; n++) await made(randomUUID(), account).expect(201);
      const first = await made(key, account);
      await made(randomUUID(), account).expect(400);
      await loseAnswer(KEYS, key, [first.body.id as string]);
      const second = await made(key, account);
      expect([second.status, second.text]).toEqual([201, first.text]);
      const list = await request(service.url).get(KEYS).set(bearer(account.accessToken));
      expect(list.body.keys).toHaveLength(MAX_KEYS);
      const me = request(service.url)
        .get('/auth/me')
        .set(bearer(second.body.token as string));
      expect((await me).status).toBe(200);
    });
  });

  it('is an ordinary request on routes that ignore the header', async () => {
    const key = { 'Idempotency-Key': 'a b' };
    const { id } = (await shorten(randomUUID(), aBody())).body as { id: string };
    const by = bearer(account.accessToken);
    await request(service.url).get('/api/v1/urls').set(by).set(key).expect(200);
    const change = () =>
      request(service.url).patch(`/api/v1/urls/${id}`).set(by).set(key).send({ max_clicks: 5 });
    await change().expect(200);
    const again = await change();
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([200, undefined]);
    const url = `https://example.com/${randomUUID()}`;
    for (let n = 0; n < 2; n++) {
      await post(service, '/')
        .set(key)
        .set('Accept', 'application/json')
        .type('form')
        .send({ url });
    }
    expect(await linksTo({ long_url: url })).toBe(2);
  });
});
