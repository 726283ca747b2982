import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from 'mongoose';
import { BadRequestError, DatabaseUnavailableError } from '../../../src/common/errors';
import type { JobKindName } from '../../../src/infrastructure/jobs/job';
import {
  JobKind,
  JobWaiting,
  type JobStep,
  type RunningJob,
} from '../../../src/infrastructure/jobs/job-kind';
import type { JobTimes } from '../../../src/infrastructure/jobs/job-run';
import { JobRunner } from '../../../src/infrastructure/jobs/job-runner';
import { JobRecord } from '../../../src/infrastructure/jobs/job.schema';
import type { JobsRepository } from '../../../src/infrastructure/jobs/jobs.repository';
import { eventually } from '../../support/shared/eventually';
import { jobsIn } from '../../support/factories/stored-job';
import { QUICK_TIMES } from '../../support/jobs/quick-times';
import { QuietLogger } from '../../support/shared/quiet-logger';
import { dropTestDatabase, openTestDatabase, testDatabaseUri } from '../../support/test-database';

type Step = (job: RunningJob<unknown, number>) => JobStep<number> | Promise<JobStep<number>>;

class Scripted extends JobKind<unknown, number> {
  constructor(
    readonly name: JobKindName,
    private readonly script: Step,
  ) {
    super();
  }

  async step(job: RunningJob<unknown, number>): Promise<JobStep<number>> {
    return this.script(job);
  }
}

function aGate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

describe('the job runner', () => {
  let connection: Connection;
  let jobs: JobsRepository;
  let folder: string;
  let log: QuietLogger;
  const runners: JobRunner[] = [];

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'curtail-jobs-'));
    log = new QuietLogger();
    connection = await openTestDatabase(testDatabaseUri());
    jobs = jobsIn(connection);
    await connection.model(JobRecord.name).createIndexes();
  });
  afterEach(async () => {
    await Promise.all(runners.splice(0).map((runner) => runner.stop()));
    await dropTestDatabase(connection);
    rmSync(folder, { recursive: true });
  });

  function aRunner(script: Step, times: Partial<JobTimes> = {}, names: JobKindName[] = ['import']) {
    const runner = new JobRunner({
      jobs,
      kinds: () => names.map((name) => new Scripted(name, script)),
      dataDir: folder,
      times: { ...QUICK_TIMES, ...times },
      log,
    });
    runners.push(runner);
    runner.start();
    return runner;
  }

  let owners = 0;
  const anOwner = () => (++owners).toString(16).padStart(24, '0');
  const begin = async (kind: JobKindName = 'import', ownerId = anOwner()) =>
    (await jobs.insert({ kind, ownerId, input: { of: 'the test' } })).id;
  const becomes = (id: string, state: string) =>
    eventually(`the job is ${state}`, async () => (await jobs.findById(id))?.state === state);

  const counting =
    (steps: number): Step =>
    ({ cursor }) => {
      const at = (cursor ?? 0) + 1;
      return { cursor: at < steps ? at : null, done: 1 };
    };

  it('runs steps from cursor to cursor until a job is finished', async () => {
    const seen: unknown[] = [];
    const id = await begin();
    const runner = aRunner((job) => {
      seen.push([job.cursor, job.done, job.input]);
      return counting(3)(job);
    });
    await becomes(id, 'done');
    const input = { of: 'the test' };
    expect(seen).toEqual([
      [null, 0, input],
      [1, 1, input],
      [2, 2, input],
    ]);
    // Waits, because the job ends only once the database has confirmed it.
    await eventually(() => runner.metrics().done === 1);
    expect(runner.metrics()).toMatchObject({ steps: 3, failed: 0, retries: 0 });
  });

  it('runs two jobs at a time', async () => {
    const ids = [await begin(), await begin(), await begin()];
    const gate = aGate();
    const begun: string[] = [];
    aRunner(async ({ id }) => {
      begun.push(id);
      await gate.opened;
      return { cursor: null, done: 1 };
    });
    await eventually(() => begun.length === 2);
    const last = ids[2] ?? '';
    runners[0]?.wake();
    await jobs.hasUnfinished();
    expect(await jobs.findById(last)).toMatchObject({ state: 'queued' });
    gate.open();
    await becomes(last, 'done');
    expect(begun).toEqual(ids);
  });

  it.each([
    ['the database', () => new DatabaseUnavailableError(), 'The database is unreachable'],
    [
      'the disk',
      () => Object.assign(new Error('write /data/x'), { code: 'ENOSPC' }),
      "The service's disk is full",
    ],
    ['something unknown', () => new Error('a secret of the inside'), 'Something went wrong'],
  ])(
    'repeats a step that failed because of %s, and reports the failure meanwhile',
    async (_, fault, text) => {
      const repaired = aGate();
      let isRepaired = false;
      void repaired.opened.then(() => (isRepaired = true));
      const id = await begin();
      const runner = aRunner(
        (job) => {
          if (job.cursor === 1 && !isRepaired) throw fault();
          return counting(3)(job);
        },
        // Slow, so that retries after an unknown failure are not used up.
        { retry: { firstMs: 50, ceilingMs: 400, steadyMs: 0 } },
      );
      await eventually(async () => (await jobs.findById(id))?.error?.error === text);
      expect(await jobs.findById(id)).toMatchObject({ state: 'running', done: 1 });
      repaired.open();
      await becomes(id, 'done');
      expect(await jobs.findById(id)).toMatchObject({ done: 3, error: null });
      expect(runner.metrics().retries).toBeGreaterThan(0);
    },
  );

  it('retries database failures without a limit, and unexplained failures ten times', async () => {
    let tries = 0;
    const id = await begin();
    const other = await begin('account_export');
    aRunner(
      (job) => {
        if (job.id === id) throw new Error('a secret of the inside');
        tries += 1;
        if (tries < 30) throw new DatabaseUnavailableError();
        return { cursor: null, done: 1 };
      },
      { retry: { firstMs: 1, ceilingMs: 2, steadyMs: 0 } },
      ['import', 'account_export'],
    );
    await becomes(id, 'failed');
    await becomes(other, 'done');
    expect(await jobs.findById(id)).toMatchObject({
      error: { code: 'internal_error', error: 'Something went wrong' },
    });
  });

  it('fails a job immediately if the cause is its input', async () => {
    const id = await begin();
    const runner = aRunner(() => {
      throw new BadRequestError('No column for the destination');
    });
    await becomes(id, 'failed');
    expect(await jobs.findById(id)).toMatchObject({
      error: { code: 'validation_error', error: 'No column for the destination' },
    });
    await eventually(() => runner.metrics().failed === 1);
    expect(runner.metrics().retries).toBe(0);
  });

  it('continues from a step that was stored although the response was lost', async () => {
    const id = await begin();
    const advance = jobs.advance.bind(jobs);
    let lost = 0;
    jest.spyOn(jobs, 'advance').mockImplementation(async (...args) => {
      const job = await advance(...args);
      if (args[2].cursor === 2 && lost++ === 0) throw new DatabaseUnavailableError();
      return job;
    });
    const cursors: (number | null)[] = [];
    aRunner((job) => {
      cursors.push(job.cursor);
      return counting(4)(job);
    });
    await becomes(id, 'done');
    expect(cursors).toEqual([null, 1, 2, 3]);
    expect(await jobs.findById(id)).toMatchObject({ done: 4 });
  });

  it('pauses a waiting job, runs another one of the account, and resumes the first', async () => {
    const owner = anOwner();
    const [first, second] = [await begin('import', owner), await begin('import', owner)];
    const order: string[] = [];
    aRunner((job) => {
      const isFirstTry = job.id === first && !order.includes(first);
      order.push(job.id);
      const reason = { code: 'internal_error', error: 'links.test asks for a pause' };
      if (isFirstTry) throw new JobWaiting(200, reason);
      return { cursor: null, done: 1 };
    });
    await becomes(second, 'done');
    await becomes(first, 'done');
    expect(order).toEqual([first, second, first]);
  });

  it('prevents further writes by a step of a cancelled job', async () => {
    const id = await begin();
    const begun = aGate();
    const ended = aGate();
    let wrote = false;
    aRunner(async ({ signal, checkLease }) => {
      begun.open();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      try {
        checkLease();
        wrote = true;
      } finally {
        ended.open();
      }
      return { cursor: null, done: 1 };
    });
    await begun.opened;
    await jobs.cancel(id);
    await ended.opened;
    expect(wrote).toBe(false);
    await becomes(id, 'cancelled');
    expect(await jobs.findById(id)).toMatchObject({ done: 0 });
  });

  it('counts writes that a step of a cancelled job has begun, and then cancels the job', async () => {
    const id = await begin();
    const begun = aGate();
    const written = aGate();
    let steps = 0;
    aRunner(async ({ checkLease, signal }) => {
      steps += 1;
      checkLease();
      begun.open();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      expect(await jobs.findById(id)).toMatchObject({ state: 'running', isCancelled: true });
      checkLease();
      written.open();
      return { cursor: 1, done: 500, counts: { created: 500 } };
    });
    await begun.opened;
    await jobs.cancel(id);
    await written.opened;
    await becomes(id, 'cancelled');
    expect(await jobs.findById(id)).toMatchObject({ done: 500, counts: { created: 500 } });
    expect(steps).toBe(1);
  });

  it('stops a job after its turn, so that every account gets a turn', async () => {
    const ids = [await begin(), await begin(), await begin(), await begin()];
    const turnMs = { account: 20, service: 20 };
    let last = '';
    aRunner(
      async ({ id, cursor }) => {
        if (id === last) return { cursor: null, done: 1 };
        await sleep(2);
        return { cursor: (cursor ?? 0) + 1, done: 1 };
      },
      { turnMs, lookMs: 10 },
    );
    const all = async () => [...(await jobs.findByIds(ids)).values()];
    await eventually('all have begun', async () => (await all()).every(({ done }) => done > 0));
    last = await begin();
    await becomes(last, 'done');
    const unfinished = await all();
    expect(unfinished.map(({ state }) => state)).toEqual(ids.map(() => 'running'));
    await Promise.all(ids.map((id) => jobs.cancel(id)));
  });

  it('interrupts a step that waits for a service if other jobs wait much longer', async () => {
    const slow = [await begin(), await begin()];
    let quick = '';
    aRunner(
      async ({ id, signal }) => {
        if (id === quick) return { cursor: null, done: 1 };
        await sleep(3_600_000, undefined, { signal });
        return { cursor: null, done: 1 };
      },
      { turnMs: { account: 20, service: 20 }, lookMs: 10 },
    );
    await Promise.all(slow.map((id) => becomes(id, 'running')));
    quick = await begin();
    await becomes(quick, 'done');
    for (const id of slow) {
      expect(await jobs.findById(id)).toMatchObject({ state: 'running', error: null });
      await jobs.cancel(id);
    }
  });

  it('reserves a slot for the service’s own jobs, whose kinds take turns', async () => {
    const gate = aGate();
    await Promise.all([begin(), begin()]);
    const begun: string[] = [];
    aRunner(
      async ({ id, cursor }) => {
        if (!begun.includes(id)) begun.push(id);
        await Promise.race([gate.opened, sleep(5)]);
        return { cursor: begun.length < 5 ? (cursor ?? 0) + 1 : null, done: 1 };
      },
      { turnMs: { account: 3_600_000, service: 20 }, lookMs: 10 },
      ['import', 'block_list', 'account_deletion'],
    );
    await eventually(() => begun.length === 2);
    const deletions = [await begin('account_deletion'), await begin('account_deletion')];
    await jobs.insertOnly('block_list');
    await eventually('all have begun', () => begun.length === 5);
    expect(begun).toEqual(expect.arrayContaining(deletions));
    gate.open();
    await Promise.all(deletions.map((id) => becomes(id, 'done')));
  });

  it('fails a job that was claimed three times without progress, in any processes', async () => {
    const id = await begin();
    for (const holder of ['killed', 'killed again']) {
      const claim = { holder, node: null, kinds: ['import'] as const, leaseMs: 0 };
      await eventually(async () => (await jobs.claim(claim))?.id === id);
    }
    let steps = 0;
    aRunner(() => {
      steps += 1;
      return { cursor: null, done: 1 };
    });
    await becomes(id, 'failed');
    expect(steps).toBe(0);
    expect((await jobs.findById(id))?.error?.error).toContain('stopped several times');
  });

  it("runs a job's step alone if the step may have ended its process", async () => {
    const id = await begin();
    const killed = { holder: 'killed', node: null, kinds: ['import'] as const, leaseMs: 0 };
    await jobs.claim(killed);
    const gate = aGate();
    const begun: string[] = [];
    const runner = aRunner(async (job) => {
      begun.push(job.id);
      await gate.opened;
      return counting(2)(job);
    });
    await eventually(() => begun.length === 1);
    const next = await begin();
    runner.wake();
    await jobs.hasUnfinished();
    expect(await jobs.findById(next)).toMatchObject({ state: 'queued' });
    gate.open();
    await becomes(next, 'done');
    expect(begun.slice(0, 2)).toEqual([id, id]);
  });

  it("retries a failure once if the cause is the job's data or the program", async () => {
    let tries = 0;
    const id = await begin();
    aRunner(() => {
      tries += 1;
      throw new RangeError('Invalid string length');
    });
    await becomes(id, 'failed');
    expect(tries).toBe(2);
  });

  it('stops before the next write of a job whose lease could not be renewed', async () => {
    const id = await begin();
    const writes: string[] = [];
    const keep = jest.spyOn(jobs, 'keep').mockRejectedValue(new DatabaseUnavailableError());
    const lost = aGate();
    let runs = 0;
    aRunner(
      async ({ signal, checkLease }) => {
        runs += 1;
        if (runs > 1) return { cursor: null, done: 1 };
        checkLease();
        writes.push('first');
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        lost.open();
        checkLease();
        writes.push('second');
        return { cursor: null, done: 1 };
      },
      { leaseMs: 300 },
    );
    await lost.opened;
    keep.mockRestore();
    await becomes(id, 'done');
    expect(writes).toEqual(['first']);
    expect(await jobs.findById(id)).toMatchObject({ done: 1 });
  });

  it('assumes the shortest lease if the response to the claim was late', async () => {
    const id = await begin();
    const claim = jobs.claim.bind(jobs);
    let claims = 0;
    jest.spyOn(jobs, 'claim').mockImplementation(async (asked) => {
      const job = await claim(asked);
      // After a full lease period, the runner cannot know whether it still owns the job.
      if (job !== null && claims++ === 0) await sleep(1200);
      return job;
    });
    let steps = 0;
    aRunner(
      (job) => {
        steps += 1;
        return counting(1)(job);
      },
      { leaseMs: 1000, renewalMs: 300 },
    );
    await becomes(id, 'done');
    expect({ steps, claims }).toEqual({ steps: 1, claims: 2 });
  });

  it('finishes the current step when it is stopped, and the next runner continues immediately', async () => {
    const id = await begin();
    const begun = aGate();
    const gate = aGate();
    const first = aRunner(
      async (job) => {
        begun.open();
        await gate.opened;
        return counting(3)(job);
      },
      { stopMs: 60_000, leaseMs: 3_600_000 },
    );
    await begun.opened;
    const stopped = first.stop();
    gate.open();
    await stopped;
    expect(await jobs.findById(id)).toMatchObject({ state: 'running', done: 1, cursor: 1 });
    const seen: unknown[] = [];
    aRunner((job) => {
      seen.push(job.cursor);
      return counting(3)(job);
    });
    await becomes(id, 'done');
    expect(seen).toEqual([1, 2]);
  });

  it('releases the lease of a step that does not end in time', async () => {
    const id = await begin();
    const begun = aGate();
    const never = aGate();
    const first = aRunner(
      async ({ checkLease }) => {
        begun.open();
        await never.opened;
        checkLease();
        return { cursor: null, done: 100 };
      },
      { stopMs: 20, leaseMs: 3_600_000 },
    );
    await begun.opened;
    await first.stop();
    aRunner(counting(2));
    await becomes(id, 'done');
    never.open();
    expect(await jobs.findById(id)).toMatchObject({ done: 2 });
  });

  it('runs a job whose files are on this machine', async () => {
    const owner = anOwner();
    const node = 'c0ffee01';
    const { id } = await jobs.insert({ kind: 'import', ownerId: owner, input: 0, node });
    const runner = aRunner(counting(1));
    await becomes(await begin(), 'done');
    expect(await jobs.findById(id)).toMatchObject({ state: 'queued' });
    writeFileSync(join(folder, 'node-id'), `${node}\n`);
    runner.wake();
    await becomes(id, 'done');
  });

  it('does not start with two job kinds that have the same name', () => {
    expect(() => aRunner(counting(1), {}, ['import', 'import'])).toThrow('the same name');
  });
});
