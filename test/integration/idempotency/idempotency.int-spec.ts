import { randomUUID } from 'node:crypto';
import type { Connection, Model } from 'mongoose';
import {
  AnswerUnreadableError,
  KeyOfOtherBodyError,
  StillRunningError,
} from '../../../src/idempotency/idempotency.errors';
import { IdempotencyRepository } from '../../../src/idempotency/idempotency.repository';
import { IdempotencyRecord, IdempotencySchema } from '../../../src/idempotency/idempotency.schema';
import {
  IdempotencyService,
  type KeyedRequest,
  type RunningTry,
  type SentAnswer,
} from '../../../src/idempotency/idempotency.service';
import { expiredDocumentsIn } from '../../support/factories/expired-documents';
import { eventually } from '../../support/shared/eventually';
import { dropTestDatabase, openTestDatabase, testDatabaseUri } from '../../support/test-database';

const ANSWER: SentAnswer = { status: 201, headers: { 'X-Error-Code': 'no' }, body: '{"a":"é"}' };
const ID = 'a'.repeat(24);
const ALL_BUT_INTERVALS = [
  'Date',
  'clearImmediate',
  'clearTimeout',
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'setTimeout',
] as const;

describe('A request with an Idempotency-Key in the database', () => {
  let connection: Connection;
  let repository: IdempotencyRepository;

  beforeAll(async () => {
    connection = await openTestDatabase(testDatabaseUri());
    const model: Model<IdempotencyRecord> = connection.model(
      IdempotencyRecord.name,
      IdempotencySchema,
    );
    repository = new IdempotencyRepository(model);
  });
  afterAll(() => dropTestDatabase(connection));

  const aService = (secret = 'a secret of sixteen') =>
    new IdempotencyService(repository, { secret });
  const aRequest = (changes: Partial<KeyedRequest> = {}): KeyedRequest => {
    const key = randomUUID();
    return {
      id: key,
      key,
      fingerprint: 'f',
      accountId: null,
      items: 1,
      isGone: () => false,
      ...changes,
    };
  };
  const records = () => connection.collection<{ _id: string }>('idempotency');
  const change = (id: string, values: object) => records().updateOne({ _id: id }, { $set: values });

  async function begin(service: IdempotencyService, asked: KeyedRequest): Promise<RunningTry> {
    const begun = await service.begin(asked);
    if (!('attempt' in begun)) throw new Error('The request has an answer already');
    return begun;
  }

  /** A request whose holder on another machine has died. */
  async function aLostTry(asked: KeyedRequest, lease = new Date(0)): Promise<RunningTry> {
    const lost = await begin(aService(), asked);
    const process = { host: 'another machine', pid: 1, startTime: null };
    await change(asked.id, { process, lease_until: lease });
    return lost;
  }

  it('is begun by one of many concurrent callers, and the others get the same response', async () => {
    const asked = aRequest();
    const services = [aService(), aService()];
    let begun = 0;
    const answers = await Promise.all(
      Array.from({ length: 60 }, async (_, n) => {
        const found = await services[n % 2]!.begin(asked);
        if (!('attempt' in found)) return found;
        begun += 1;
        expect(await found.finish(ANSWER, false)).toBe(true);
        return ANSWER;
      }),
    );
    expect(begun).toBe(1);
    expect(answers).toEqual(answers.map(() => ANSWER));
  });

  it('has an id for each item, which is the same in every attempt', async () => {
    const asked = aRequest({ items: 3 });
    const first = await aLostTry(asked);
    const ids = [0, 1, 2].map((index) => first.attempt.documentId(index));
    expect(new Set(ids).size).toBe(3);
    expect(first.attempt.isRepeated).toBe(false);
    const second = await begin(aService(), asked);
    expect([0, 1, 2].map((index) => second.attempt.chosenId(index))).toEqual(
      ids.map((id) => ({ id, isRepeated: true })),
    );
    expect(second.attempt.secret()).toEqual(first.attempt.secret());
    expect(first.attempt.secret()).toHaveLength(32);
  });

  it('no longer belongs to an attempt that was presumed dead', async () => {
    const asked = aRequest();
    const lost = await aLostTry(asked);
    const next = await begin(aService(), asked);
    await lost.release(null);
    await lost.forget();
    await expect(lost.attempt.targets(() => Promise.resolve([ID]))).rejects.toThrow(
      StillRunningError,
    );
    expect(await lost.finish({ ...ANSWER, status: 400 }, false)).toBe(false);
    expect(await next.finish(ANSWER, false)).toBe(true);
    expect(await aService().begin(asked)).toEqual(ANSWER);
  });

  it('keeps the targets that the first attempt found', async () => {
    const asked = aRequest();
    const find = jest.fn(() => Promise.resolve([ID]));
    const first = await aLostTry(asked);
    expect(await first.attempt.targets(find)).toEqual([ID]);
    const second = await begin(aService(), asked);
    expect(await second.attempt.targets(find)).toEqual([ID]);
    expect(find).toHaveBeenCalledTimes(1);
  });

  it('keeps the results of an attempt that did not finish all items', async () => {
    const asked = aRequest({ items: 2 });
    const first = await begin(aService(), asked);
    await first.release([{ ok: true }, null]);
    const second = await begin(aService(), asked);
    expect([second.attempt.doneRow(0), second.attempt.doneRow(1)]).toEqual([
      { ok: true },
      undefined,
    ]);
    expect(second.attempt.isRepeated).toBe(true);
  });

  it('is deleted if nothing was changed, and the key then accepts another body', async () => {
    const asked = aRequest();
    const first = await begin(aService(), asked);
    await expect(aService().begin({ ...asked, fingerprint: 'g' })).rejects.toThrow(
      KeyOfOtherBodyError,
    );
    await first.forget();
    const second = await begin(aService(), { ...asked, fingerprint: 'g' });
    expect(second.attempt.isRepeated).toBe(false);
    await second.forget();
  });

  it('continues immediately in a process that could not store its response', async () => {
    const service = aService();
    const asked = aRequest();
    const first = await begin(service, asked);
    jest.spyOn(repository, 'finish').mockRejectedValueOnce(new Error('The database is down'));
    await expect(first.finish(ANSWER, false)).rejects.toThrow('down');
    const second = await begin(service, asked);
    expect(second.attempt.documentId()).toBe(first.attempt.documentId());
    expect(second.attempt.isRepeated).toBe(true);
    await second.forget();
  });

  it('renews its lease while it runs', async () => {
    // Fakes no other timers, because the driver needs them.
    jest.useFakeTimers({ doNotFake: [...ALL_BUT_INTERVALS] });
    try {
      const asked = aRequest();
      const running = await begin(aService(), asked);
      const lease = { lease_until: new Date(0) };
      await change(asked.id, lease);
      jest.advanceTimersByTime(10_000);
      const isRenewed = async () =>
        (await records().countDocuments({ _id: asked.id, ...lease })) === 0;
      await eventually('the lease is renewed', isRenewed);
      await running.release(null);
      await change(asked.id, lease);
      jest.advanceTimersByTime(60_000);
      expect(await isRenewed()).toBe(false);
    } finally {
      jest.useRealTimers();
    }
  });

  it('waits as long as a caller waits for it, with a limited number of waiting callers', async () => {
    const service = aService();
    const asked = aRequest();
    await aLostTry(asked, new Date(Date.now() + 60_000));
    await expect(service.begin({ ...asked, isGone: () => true })).rejects.toThrow(
      StillRunningError,
    );
    let gone = false;
    const many = Array.from({ length: 1000 }, () =>
      service.begin({ ...asked, isGone: () => gone }).catch((error: unknown) => error),
    );
    const looks = jest.spyOn(repository, 'find');
    await eventually('all of them wait', () => looks.mock.calls.length > 2);
    await expect(service.begin(asked)).rejects.toThrow(StillRunningError);
    // All waiters share a poll.
    expect(looks.mock.calls.length).toBeLessThan(200);
    gone = true;
    for (const end of await Promise.all(many)) expect(end).toBeInstanceOf(StillRunningError);
    const waitsAgain = service.begin({ ...asked, isGone: () => looks.mock.calls.length > 1e6 });
    await change(asked.id, { holder: null });
    await ((await waitsAgain) as RunningTry).forget();
  });

  it("is encrypted if it contains a secret, with the header and the service's secret", async () => {
    const asked = aRequest();
    const secret = { ...ANSWER, body: '{"token":"svc_secret"}' };
    await (await begin(aService(), asked)).finish(secret, true);
    const [stored] = await records().find({ _id: asked.id }, { raw: true }).toArray();
    const bytes = Buffer.from(stored as unknown as Uint8Array).toString('latin1');
    expect(bytes).not.toContain('svc_secret');
    expect(await aService().begin(asked)).toEqual(secret);
    await expect(aService('another secret').begin(asked)).rejects.toThrow(AnswerUnreadableError);
    await expect(aService().begin({ ...asked, key: 'another' })).rejects.toThrow(
      AnswerUnreadableError,
    );
  });

  it('does not store a response of unlimited size', async () => {
    const running = await begin(aService(), aRequest());
    const body = 'x'.repeat(4 * 1_048_576 + 1);
    await expect(running.finish({ ...ANSWER, body }, false)).rejects.toThrow('too large');
  });

  it('is deleted after a day even if the database does not delete it', async () => {
    const [old, young] = [aRequest(), aRequest()];
    for (const asked of [old, young]) {
      await (await begin(aService(), asked)).finish(ANSWER, false);
    }
    await change(old.id, { expires_at: new Date(0) });
    await expiredDocumentsIn(connection).purge(new Date());
    expect(await records().countDocuments({ _id: { $in: [old.id, young.id] } })).toBe(1);
  });
});
