import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Logger } from '../../common/log';
import { readRegular } from '../../common/regular-file';
import { withTimeout } from '../../common/with-timeout';
import type { Job, JobKindName } from './job';
import type { JobKind } from './job-kind';
import { JobRun, type JobTimes } from './job-run';
import type { JobsMetrics } from './jobs.calls';
import type { JobsRepository } from './jobs.repository';

/** Jobs that run at a time on a machine. */
const MAX_RUNNING = 2;

export interface JobRunnerOptions {
  jobs: JobsRepository;
  /** Asked for at the start, when all of them have been made. */
  kinds: () => readonly JobKind[];
  dataDir: string;
  times: JobTimes;
  log: Logger;
}

/** Runs the jobs of this machine: claims them, two at a time, and knows none of their kinds. */
export class JobRunner {
  private kinds: ReadonlyMap<JobKindName, JobKind> = new Map();
  private readonly running = new Map<JobRun, Promise<void>>();
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
    if (this.kinds.size < kinds.length) throw new Error('Two kinds of job have one name');
    this.timer = setInterval(() => this.wake(), this.options.times.claimMs);
    this.wake();
  }

  /** Looks for jobs at once, and whether those that run were cancelled. */
  wake(): void {
    for (const run of this.running.keys()) void run.look();
    this.again = true;
    this.claiming ??= this.claim().finally(() => (this.claiming = undefined));
  }

  /** Ends the steps in hand, as far as the time goes, and gives the leases back. */
  async stop(): Promise<void> {
    this.stopping = true;
    clearInterval(this.timer);
    for (const run of this.running.keys()) run.stop();
    await this.claiming;
    const ended = Promise.all(this.running.values());
    await withTimeout(ended, this.options.times.stopMs, () => undefined);
    await Promise.allSettled([...this.running.keys()].map((run) => run.abandon()));
  }

  private async claim(): Promise<void> {
    const { jobs, times, log } = this.options;
    while (this.again && !this.stopping) {
      this.again = false;
      try {
        while (this.hasRoom()) {
          const node = await machineNode(this.options.dataDir);
          // One a run: a run that has lost its job is no holder, even when this process gets it again.
          const holder = `${node ?? ''}/${randomBytes(8).toString('hex')}`;
          const kinds = [...this.kinds.keys()];
          const claimedAt = performance.now();
          const job = await jobs.claim({ holder, node, kinds, leaseMs: times.leaseMs });
          if (job === null) break;
          this.run(job, holder, claimedAt);
        }
      } catch (err) {
        // The database is away, which it says itself; the next look tries again.
        log.debug('Jobs could not be claimed', { err });
      }
    }
  }

  private hasRoom(): boolean {
    return !this.stopping && this.running.size < MAX_RUNNING;
  }

  private run(job: Job, holder: string, claimedAt: number): void {
    const { jobs, times, log } = this.options;
    const kind = this.kinds.get(job.kind);
    if (kind === undefined) throw new Error(`No kind of job ${job.kind} is known here`);
    const metrics = this.figures;
    const run = new JobRun(job, { jobs, kind, holder, claimedAt, times, log, metrics });
    if (this.stopping) run.stop();
    const ended = run.run().finally(() => {
      this.running.delete(run);
      if (!this.stopping) this.wake();
    });
    this.running.set(run, ended);
  }
}

/** The node id of this machine (DATA_DIR/node-id), which the recorder makes; null until then. */
export async function machineNode(dataDir: string): Promise<string | null> {
  const text = await readRegular(join(dataDir, 'node-id')).catch(() => '');
  return /^[0-9a-f]{8}$/.test(text.trim()) ? text.trim() : null;
}
