import { randomBytes } from 'node:crypto';
import type { Connection } from 'mongoose';
import type { JobKindName, NewJob } from '../../../src/infrastructure/jobs/job';
import type { JobsRepository } from '../../../src/infrastructure/jobs/jobs.repository';
import { JobRecord } from '../../../src/infrastructure/jobs/job.schema';
import { eventually } from '../../support/shared/eventually';
import { expiredDocumentsIn } from '../../support/factories/expired-documents';
import { jobsIn } from '../../support/factories/stored-job';
import { dropTestDatabase, openTestDatabase, testDatabaseUri } from '../../support/test-database';

const LEASE = 60_000;
const KINDS: JobKindName[] = ['import', 'account_export', 'block_list'];
const FAILURE = { code: 'internal_error', error: '$later' };

describe('stored jobs', () => {
  let connection: Connection;
  let jobs: JobsRepository;

  beforeEach(async () => {
    connection = await openTestDatabase(testDatabaseUri());
    jobs = jobsIn(connection);
    await connection.model(JobRecord.name).createIndexes();
  });
  afterEach(() => dropTestDatabase(connection));

  const anOwner = () => randomBytes(12).toString('hex');
  const insert = (job: Partial<NewJob> = {}) =>
    jobs.insert({ kind: 'import', ownerId: anOwner(), input: null, ...job });
  const claim = (
    holder: string,
    more: { node?: string; kinds?: JobKindName[]; leaseMs?: number } = {},
  ) => jobs.claim({ holder, node: null, kinds: KINDS, leaseMs: LEASE, ...more });
  const idOf = async (claimed: ReturnType<typeof claim>) => (await claimed)?.id ?? null;

  it('are claimed once each, oldest first', async () => {
    const [first, second] = [await insert(), await insert()];
    expect(await idOf(claim('a'))).toBe(first.id);
    expect(await idOf(claim('b'))).toBe(second.id);
    expect(await claim('c')).toBeNull();
  });

  it('are claimed once each for concurrent processes', async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => insert()));
    const claimed = await Promise.all(
      Array.from({ length: 40 }, (_, i) => idOf(claim(`holder ${i}`))),
    );
    const ids = claimed.filter((id) => id !== null);
    expect(ids.sort()).toEqual(made.map(({ id }) => id).sort());
  });

  it('are created once for concurrent callers if one is enough, and again after its end', async () => {
    const begin = () => Promise.all(Array.from({ length: 8 }, () => jobs.insertOnly('block_list')));
    const isFirst = (begun: boolean[]) => begun.filter(Boolean).length === 1;
    expect(isFirst(await begin())).toBe(true);
    const job = await claim('a');
    expect(job).toMatchObject({ kind: 'block_list', ownerId: null });
    expect(isFirst(await begin())).toBe(false);
    await jobs.advance(job?.id ?? '', 'a', { cursor: null, done: 7 });
    expect(isFirst(await begin())).toBe(true);
    expect(await claim('b')).toMatchObject({ state: 'running', done: 0, finishedAt: null });
    expect(await claim('c')).toBeNull();
  });

  it('run one at a time per account and kind, in any process, not counting a waiting one', async () => {
    const ownerId = anOwner();
    const first = await insert({ ownerId });
    const second = await insert({ ownerId });
    const third = await insert({ ownerId, kind: 'account_export' });
    const other = await insert();
    expect(await idOf(claim('a'))).toBe(first.id);
    expect(await idOf(claim('b'))).toBe(third.id);
    expect(await idOf(claim('c'))).toBe(other.id);
    expect(await claim('d')).toBeNull();
    await jobs.wait(first.id, 'a', LEASE, FAILURE);
    expect(await jobs.findById(first.id)).toMatchObject({ state: 'waiting', error: FAILURE });
    expect(await idOf(claim('d'))).toBe(second.id);
    expect(await claim('e')).toBeNull();
  });

  it('that wait are claimed when they are due and their account runs no other', async () => {
    const ownerId = anOwner();
    const first = await insert({ ownerId });
    const second = await insert({ ownerId });
    await claim('a');
    await jobs.wait(first.id, 'a', 0, FAILURE);
    await jobs.endTurn(ownerId);
    expect(await idOf(claim('b'))).toBe(first.id);
    await jobs.wait(first.id, 'b', LEASE, FAILURE);
    expect(await idOf(claim('c'))).toBe(second.id);
    expect(await jobs.findById(first.id)).toMatchObject({ state: 'waiting' });
  });

  it('of the service itself also run one at a time per kind', async () => {
    const own = { ownerId: null, kind: 'block_list' } as const;
    const first = await insert(own);
    await insert(own);
    expect(await idOf(claim('a'))).toBe(first.id);
    expect(await claim('b')).toBeNull();
  });

  it('are claimed by another process after the lease expires, and the first then writes nothing', async () => {
    const { id } = await insert();
    await claim('a', { leaseMs: 0 });
    await eventually(async () => (await idOf(claim('b'))) === id);
    expect(await jobs.keep(id, 'a', LEASE)).toBeNull();
    expect(await jobs.keep(id, 'a', null)).toBeNull();
    expect(await jobs.findHeld(id, 'a')).toBeNull();
    expect(await jobs.advance(id, 'a', { cursor: 7, done: 7 })).toBeNull();
    await jobs.fail(id, 'a', FAILURE);
    await jobs.wait(id, 'a', 0, FAILURE);
    await jobs.noteFailure(id, 'a', FAILURE);
    await jobs.giveBack(id, 'a');
    expect(await jobs.findHeld(id, 'b')).toMatchObject({ state: 'running', done: 0, error: null });
    expect(await jobs.keep(id, 'b', null)).toEqual({ isCancelled: false });
  });

  it('stay with a process that renews the lease', async () => {
    const { id } = await insert();
    await claim('a', { leaseMs: 0 });
    expect(await jobs.keep(id, 'a', LEASE)).toEqual({ isCancelled: false });
    expect(await claim('b')).toBeNull();
  });

  it('are free immediately after the lease is released', async () => {
    const { id } = await insert();
    await claim('a');
    await jobs.advance(id, 'a', { cursor: 3, done: 3 });
    await jobs.giveBack(id, 'a');
    expect(await claim('b')).toMatchObject({ id, cursor: 3, done: 3 });
  });

  it("that depend on a machine's files are claimed only on that machine", async () => {
    const { id } = await insert({ node: 'aaaaaaaa', files: ['/data/imports/1'] });
    expect(await claim('a')).toBeNull();
    expect(await claim('a', { node: 'bbbbbbbb' })).toBeNull();
    expect(await claim('a', { node: 'aaaaaaaa' })).toMatchObject({
      id,
      files: ['/data/imports/1'],
    });
  });

  it('are not claimed by a process that does not know their kind', async () => {
    const { id } = await insert({ kind: 'account_export' });
    expect(await claim('a', { kinds: ['import'] })).toBeNull();
    expect(await idOf(claim('a'))).toBe(id);
  });

  it('add up the results of steps, and end with the last step', async () => {
    const { id } = await insert({ total: 9 });
    await claim('a');
    const cursor = { page: '$literal', at: 4 };
    const step = { cursor, done: 4, counts: { created: 3, alias_taken: 1 } };
    expect(await jobs.advance(id, 'a', step)).toMatchObject({ cursor, state: 'running', total: 9 });
    await jobs.noteFailure(id, 'a', FAILURE);
    const last = { cursor: null, done: 5, total: 10, counts: { created: 5 } };
    expect(await jobs.advance(id, 'a', last)).toMatchObject({
      state: 'done',
      done: 9,
      total: 10,
      counts: { created: 8, alias_taken: 1 },
      error: null,
    });
    expect(await jobs.advance(id, 'a', last)).toBeNull();
    expect(await jobs.hasUnfinished()).toBe(false);
  });

  it('are cancelled in any state, once', async () => {
    const running = await insert();
    await claim('a');
    const waiting = await insert();
    await claim('b');
    await jobs.wait(waiting.id, 'b', LEASE, FAILURE);
    const queued = await insert();
    expect(await jobs.cancel(running.id)).toMatchObject({ state: 'running', isCancelled: true });
    const step = { cursor: 1, done: 500, counts: { created: 500 } };
    expect(await jobs.advance(running.id, 'a', step)).toMatchObject({
      ...{ state: 'cancelled', done: 500, counts: { created: 500 } },
      finishedAt: expect.any(Date) as Date,
    });
    for (const { id } of [waiting, queued]) {
      const cancelled = await jobs.cancel(id);
      expect(cancelled).toMatchObject({ state: 'cancelled', finishedAt: expect.any(Date) as Date });
      expect(await jobs.cancel(id)).toEqual(cancelled);
    }
    expect(await jobs.advance(running.id, 'a', { cursor: 1, done: 1 })).toBeNull();
    expect(await claim('c')).toBeNull();
    expect(await jobs.cancel(randomBytes(12).toString('hex'))).toBeNull();
  });

  it('end after they are cancelled when their process releases them or has exited', async () => {
    const ends = {
      'gives it back': (id: string) => jobs.giveBack(id, 'a'),
      'puts it aside': (id: string) => jobs.wait(id, 'a', LEASE, FAILURE),
    };
    for (const end of Object.values(ends)) {
      const { id } = await insert();
      await claim('a');
      await jobs.cancel(id);
      await end(id);
      expect(await jobs.findById(id)).toMatchObject({ state: 'cancelled', waitsUntil: null });
    }
    const { id } = await insert();
    await claim('a', { leaseMs: 0 });
    await eventually(async () => (await jobs.cancel(id))?.state === 'cancelled');
    expect(await claim('b')).toBeNull();
  });

  it('of an account are cancelled together, except for its deletion', async () => {
    const ownerId = anOwner();
    const [queued, other] = [await insert({ ownerId }), await insert()];
    await insert({ id: ownerId, ownerId, kind: 'account_deletion' });
    await jobs.cancelForAccount(ownerId);
    expect(await jobs.hasUnfinishedFor(ownerId)).toBe(false);
    expect(await jobs.findById(queued.id)).toMatchObject({ state: 'cancelled' });
    expect(await jobs.findById(ownerId)).toMatchObject({ state: 'queued' });
    expect(await jobs.findById(other.id)).toMatchObject({ state: 'queued' });
  });

  it('are claimed for each account in turn', async () => {
    const owners = [anOwner(), anOwner()] as const;
    const first = await insert({ ownerId: owners[0] });
    const second = await insert({ ownerId: owners[0] });
    const other = await insert({ ownerId: owners[1] });
    expect(await idOf(claim('a'))).toBe(first.id);
    await jobs.advance(first.id, 'a', { cursor: null, done: 1 });
    await jobs.endTurn(owners[0]);
    expect(await idOf(claim('b'))).toBe(other.id);
    expect(await idOf(claim('c'))).toBe(second.id);
  });

  it('count the claims since the last progress, except for released ones', async () => {
    const { id } = await insert();
    const claims = async () => (await jobs.findById(id))?.claims;
    await claim('a', { leaseMs: 0 });
    await eventually(async () => (await idOf(claim('b'))) === id);
    expect(await claims()).toBe(2);
    await jobs.giveBack(id, 'b');
    expect(await claims()).toBe(1);
    await claim('c');
    await jobs.advance(id, 'c', { cursor: 1, done: 1 });
    expect(await claims()).toBe(1);
    await jobs.giveBack(id, 'c');
    expect(await claims()).toBe(0);
  });

  it('are deleted thirty days after their end', async () => {
    const { id } = await insert();
    await claim('a');
    await jobs.fail(id, 'a', FAILURE);
    await insert();
    const day = 24 * 60 * 60 * 1000;
    const expired = expiredDocumentsIn(connection);
    await expired.purge(new Date(Date.now() + 29 * day));
    expect(await jobs.findById(id)).toMatchObject({ state: 'failed', error: FAILURE });
    await expired.purge(new Date(Date.now() + 31 * day));
    expect(await jobs.findById(id)).toBeNull();
    expect(await jobs.hasUnfinished()).toBe(true);
  });
});
