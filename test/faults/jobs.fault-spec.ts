import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, Types } from 'mongoose';
import type { Job, JobKindName } from '../../src/infrastructure/jobs/job';
import type { JobRecord } from '../../src/infrastructure/jobs/job.schema';
import type { JobsRepository } from '../../src/infrastructure/jobs/jobs.repository';
import { manyStoredLinks } from '../support/shared/stored-link';
import { databaseOf } from '../support/database';
import { jobsIn } from '../support/factories/stored-job';
import { startWithJobs } from '../support/jobs/service-with-jobs';
import type { DoneWork } from '../support/jobs/test-jobs.module';
import { isRunning } from '../support/kept-processes';
import { enginePid, jobsPid, jobsPids } from '../support/processes';
import { eventually, type Service, type ServiceOptions } from '../support/service';

const KILLS = 3;
const STEPS = 120;
/** Number of links, more than a jobs process completes before it is killed. */
const LINKS_OF_BEFORE = 2000;
/** Long enough for kills to hit a step; a lease covers several steps. */
const PAUSE_MS = 20;

jest.setTimeout(480_000);

describe('a job', () => {
  const services: Service[] = [];
  const folders: string[] = [];
  let database: Connection;
  let jobs: JobsRepository;
  let owners = 0;

  afterEach(async () => {
    await database.close();
    await Promise.all(services.splice(0).map((service) => service.stop()));
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });

  async function start(options: ServiceOptions = {}, ...args: 'real-times'[]): Promise<Service> {
    const service = await startWithJobs(options, ...args);
    services.push(service);
    return service;
  }

  async function open(options: ServiceOptions = {}, ...args: 'real-times'[]): Promise<Service> {
    const service = await start({ dataDir: aFolder(), ...options }, ...args);
    database = await databaseOf(service);
    jobs = jobsIn(database);
    return service;
  }

  function aFolder(): string {
    const folder = mkdtempSync(join(tmpdir(), 'curtail-fault-'));
    folders.push(folder);
    return folder;
  }

  async function begin(kind: JobKindName = 'import', steps = STEPS): Promise<string> {
    const ownerId = (++owners).toString(16).padStart(24, '0');
    return (await jobs.insert({ kind, ownerId, input: { steps, pauseMs: PAUSE_MS } })).id;
  }

  async function read(id: string): Promise<Job> {
    const job = await jobs.findById(id);
    if (job === null) throw new Error(`There is no job ${id}`);
    return job;
  }

  const reaches = (id: string, done: number) =>
    eventually(`${done} steps are done`, async () => (await read(id)).done >= done);
  const ends = (id: string) =>
    eventually('the job is done', async () => (await read(id)).state === 'done');

  /** Waits for the database engine. If that fails, the error includes the service's log. */
  async function isBack(service: Service, id: string): Promise<void> {
    const answers = async () => (await jobs.findById(id).catch(() => null)) !== null;
    try {
      await eventually('the database is back', answers);
    } catch (error) {
      throw new Error(`The database did not come back:\n${service.log()}`, { cause: error });
    }
  }

  async function killJobsProcess(service: Service): Promise<number> {
    await eventually('there is a jobs process', () => jobsPids(service).length === 1);
    const [pid = 0] = jobsPids(service);
    process.kill(pid, 'SIGKILL');
    await eventually('it is gone', () => !jobsPids(service).includes(pid));
    return pid;
  }

  /** Expects that each step was counted and done exactly once, regardless of retries. */
  async function expectExact(id: string, steps = STEPS): Promise<DoneWork[]> {
    expect(await read(id)).toMatchObject({
      state: 'done',
      done: steps,
      total: steps,
      counts: { made: steps },
    });
    const work = database.collection<DoneWork>('test_work');
    const made = await work.find({ job: id }).sort({ at: 1 }).toArray();
    expect(made.map(({ at }) => at)).toEqual(Array.from({ length: steps }, (_, at) => at));
    return made;
  }

  it('continues from its cursor after its process is killed repeatedly, and no step counts twice', async () => {
    const service = await open();
    const ids = [await begin(), await begin('account_export')] as const;
    const seen = new Map(ids.map((id): [string, number[]] => [id, []]));
    const watch = new AbortController();
    // Reads one after the other, because concurrent reads may return out of order.
    const watching = (async () => {
      while (!watch.signal.aborted) {
        for (const id of ids) seen.get(id)?.push((await read(id)).done);
        await sleep(25);
      }
    })();
    for (let kill = 0; kill < KILLS; kill++) {
      // A job that never advances between kills fails at its third claim.
      await Promise.all(
        ids.map(async (id) => {
          const { done } = await read(id);
          await reaches(id, Math.min(STEPS - 20, done + randomInt(1, STEPS / KILLS / 2)));
        }),
      );
      await killJobsProcess(service);
    }
    await Promise.all(ids.map(ends));
    watch.abort();
    await watching;
    for (const id of ids) {
      const made = await expectExact(id);
      // A kill leaves at most one step incomplete.
      expect(made.filter(({ tries }) => tries > 1).length).toBeLessThanOrEqual(KILLS);
      const figures = seen.get(id) ?? [];
      expect(figures.length).toBeGreaterThan(KILLS);
      expect(figures).toEqual([...figures].sort((a, b) => a - b));
    }
  });

  it("continues automatically after a kill with the program's lease times", async () => {
    const service = await open({}, 'real-times');
    const id = await begin();
    await reaches(id, 10);
    await killJobsProcess(service);
    const killedAt = performance.now();
    const { done } = await read(id);
    await reaches(id, done + 1);
    const seconds = ((performance.now() - killedAt) / 1000).toFixed(1);
    process.stdout.write(`A job went on ${seconds} s after the kill of its process\n`);
    await ends(id);
    await expectExact(id);
  });

  it('continues after the whole service is killed and restarted', async () => {
    const dataDir = aFolder();
    const first = await open({ dataDir });
    const id = await begin();
    await reaches(id, 30);
    await first.kill('SIGKILL');
    services.splice(0);
    await start({ dataDir, database: first.database });
    await ends(id);
    await expectExact(id);
  });

  it('releases its lease at SIGTERM, after the current step', async () => {
    const dataDir = aFolder();
    const first = await open({ dataDir });
    const id = await begin();
    await reaches(id, 30);
    expect(await first.stop()).toBe(0);
    services.splice(0);
    const record = await database.collection<JobRecord>('jobs').findOne({ state: 'running' });
    expect(record).toMatchObject({ holder: null, lease_until: new Date(0) });
    expect(record?.done).toBeLessThan(STEPS);
    await start({ dataDir, database: first.database });
    await ends(id);
    const made = await expectExact(id);
    expect(made.filter(({ tries }) => tries > 1)).toEqual([]);
  });

  it('continues on another machine if its own machine is killed', async () => {
    const first = await open();
    const id = await begin();
    await reaches(id, 30);
    await start({ dataDir: aFolder(), database: first.database });
    await first.kill('SIGKILL');
    services.splice(0, 1);
    await ends(id);
    await expectExact(id);
  });

  it('moves to another machine while its process is suspended, and stays there afterwards', async () => {
    const first = await open();
    const id = await begin();
    await reaches(id, 30);
    const asleep = await jobsPid(first);
    process.kill(asleep, 'SIGSTOP');
    try {
      await start({ dataDir: aFolder(), database: first.database });
      const { done } = await read(id);
      await reaches(id, done + 20);
    } finally {
      // On a slow machine, the service may already have killed the paused process.
      if (isRunning(asleep)) process.kill(asleep, 'SIGCONT');
    }
    await ends(id);
    const made = await expectExact(id);
    expect(made.filter(({ tries }) => tries > 1).length).toBeLessThanOrEqual(1);
  });

  it('continues after the database engine is killed', async () => {
    const dataDir = aFolder();
    const service = await open({ dataDir, embedded: true });
    const id = await begin();
    for (const done of [30, 80]) {
      await reaches(id, done);
      process.kill(enginePid(service), 'SIGKILL');
      await isBack(service, id);
    }
    await ends(id);
    await expectExact(id);
  });

  it('is cancelled while its process is being killed', async () => {
    const service = await open();
    const id = await begin();
    await reaches(id, 20);
    await Promise.all([killJobsProcess(service), jobs.cancel(id)]);
    await eventually('it is cancelled', async () => (await read(id)).state === 'cancelled');
    const cancelled = await read(id);
    // The job's slot is free, and a restarted process ignores the job.
    const next = await jobs.insert({
      kind: 'import',
      ownerId: cancelled.ownerId,
      input: { steps: 5 },
    });
    await ends(next.id);
    expect(await read(id)).toEqual(cancelled);
  });

  it('adds the hash to every older link, even if its process is killed meanwhile', async () => {
    const first = await open();
    const dataDir = aFolder();
    const owner = new Types.ObjectId();
    await manyStoredLinks(database, LINKS_OF_BEFORE, { owner });
    const links = database.collection('links');
    await links.updateMany({}, { $unset: { destination_hash: '' } });
    await first.stop();
    services.splice(0);
    const second = await start({ dataDir, database: first.database });
    const backfill = () => database.collection<JobRecord>('jobs').findOne({ kind: 'backfill' });
    await eventually('it is under way', async () => ((await backfill())?.done ?? 0) > 0);
    await killJobsProcess(second);
    const left = await links.countDocuments({ destination_hash: { $exists: false } });
    expect(left).toBeGreaterThan(0);
    const isDone = async () => (await backfill())?.state === 'done';
    await eventually('the job is done', isDone);
    expect(await backfill()).toMatchObject({ done: LINKS_OF_BEFORE });
    expect(await links.countDocuments({ destination_hash: { $exists: false } })).toBe(0);
  });
});
