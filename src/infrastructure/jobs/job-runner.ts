import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Logger } from '../../common/log';
import { readRegular } from '../../common/regular-file';
import { withTimeout } from '../../common/with-timeout';
import { type Job, JOB_KINDS, type JobKindName, type JobSlots } from './job';
import type { JobKind } from './job-kind';
import { JobRun, type JobTimes } from './job-run';
import type { JobsMetrics } from './jobs.calls';
import type { JobsRepository } from './jobs.repository';

const MAX_RUNNING: Readonly<Record<JobSlots, number>> = { service: 1, account: 2 };

export interface JobRunnerOptions {
  jobs: JobsRepository;
  kinds: () => readonly JobKind[];
  dataDir: string;
  times: JobTimes;
  log: Logger;
}

export class JobRunner {
  private kinds: ReadonlyMap<JobKindName, JobKind> = new Map();
  /** Kinds of jobs by slot type; the most recently served kind is last. */
  private turns: readonly (readonly [JobSlots, readonly JobKindName[]])[] = [];
  private readonly running = new Map<JobRun, { slots: JobSlots; ended: Promise<void> }>();
  private readonly figures = { steps: 0, stepMs: 0, retries: 0, done: 0, failed: 0, running: 0 };
  private claiming?: Promise<void>;
  private again = false;
  private stopping = false;
  private timer?: NodeJS.Timeout;

  constructor(private readonly options: JobRunnerOptions) {}

  metrics(): JobsMetrics {
    return { ...this.figures, running: this.running.size };
  }

  start(): void {
    const kinds = this.options.kinds();
    this.kinds = new Map(kinds.map((kind) => [kind.name, kind]));
    if (this.kinds.size < kinds.length) throw new Error('Two job kinds have the same name');
    const names = [...this.kinds.keys()];
    const own = names.filter((name) => JOB_KINDS[name].slots === 'service');
    const others = names.filter((name) => JOB_KINDS[name].slots === 'account');
    this.turns = [['account', others], ...own.map((name) => ['service', [name]] as const)];
    this.timer = setInterval(() => this.wake(), this.options.times.claimMs);
    this.wake();
  }

  wake(): void {
    for (const run of this.running.keys()) void run.look();
    this.again = true;
    this.claiming ??= this.claim().finally(() => (this.claiming = undefined));
  }

  /** Waits a limited time for running steps, then releases the leases. */
  async stop(): Promise<void> {
    this.stopping = true;
    clearInterval(this.timer);
    for (const run of this.running.keys()) run.stop();
    await this.claiming;
    const ended = Promise.all([...this.running.values()].map(({ ended }) => ended));
    await withTimeout(ended, this.options.times.stopMs, () => undefined);
    await Promise.allSettled([...this.running.keys()].map((run) => run.abandon()));
  }

  private async claim(): Promise<void> {
    while (this.again && !this.stopping) {
      this.again = false;
      try {
        while (await this.claimNext());
      } catch (err) {
        // The database is down, which is logged elsewhere; the next poll retries.
        this.options.log.debug('Could not claim jobs', { err });
      }
    }
  }

  private async claimNext(): Promise<boolean> {
    const { jobs, times } = this.options;
    for (const turn of this.turns) {
      const [slots, kinds] = turn;
      if (!this.hasRoom(slots)) continue;
      const node = await machineNode(this.options.dataDir);
      // Each run gets a new name, so that a run that lost its job can no longer write to it.
      const holder = `${node ?? ''}/${randomBytes(8).toString('hex')}`;
      const claimedAt = performance.now();
      const job = await jobs.claim({ holder, node, kinds, leaseMs: times.leaseMs });
      if (job === null) continue;
      this.turns = [...this.turns.filter((each) => each !== turn), turn];
      this.run(job, slots, { holder, claimedAt, node });
      return true;
    }
    return false;
  }

  /** A job that may have crashed a process repeats its step alone, to protect other jobs. */
  private hasRoom(slots: JobSlots): boolean {
    const runs = [...this.running];
    if (this.stopping || runs.some(([run]) => run.isSuspect)) return false;
    return runs.filter(([, run]) => run.slots === slots).length < MAX_RUNNING[slots];
  }

  private run(
    job: Job,
    slots: JobSlots,
    { node, ...claim }: { holder: string; claimedAt: number; node: string | null },
  ): void {
    const { jobs, times, log } = this.options;
    const kind = this.kinds.get(job.kind);
    if (kind === undefined) throw new Error(`Unknown job kind ${job.kind}`);
    const kinds = [...this.kinds.keys()].filter((name) => JOB_KINDS[name].slots === slots);
    const isAwaited = ({ ownerId }: Job) => jobs.hasClaimable({ ownerId, kinds, node });
    const turnMs = times.turnMs[slots];
    const metrics = this.figures;
    const run = new JobRun(job, { ...claim, jobs, kind, turnMs, isAwaited, times, log, metrics });
    if (this.stopping) run.stop();
    this.running.set(run, { slots, ended: this.untilEnded(run) });
  }

  private async untilEnded(run: JobRun): Promise<void> {
    await run.run();
    const { jobs } = this.options;
    // If the database is down, this is skipped and the account may get an extra turn.
    if (run.ownerId !== null) await jobs.endTurn(run.ownerId).catch(() => undefined);
    this.running.delete(run);
    if (!this.stopping) this.wake();
  }
}

/** Reads DATA_DIR/node-id; null until the recorder has created the file. */
export async function machineNode(dataDir: string): Promise<string | null> {
  const text = await readRegular(join(dataDir, 'node-id')).catch(() => '');
  return /^[0-9a-f]{8}$/.test(text.trim()) ? text.trim() : null;
}
