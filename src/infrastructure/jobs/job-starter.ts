import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { BackgroundTasks } from '../../common/background-tasks';
import { AppLog } from '../../common/log';
import { PrimaryClient } from '../../processes/rpc/primary-client';
import { isUnfinished, type Job, type JobKindName, type NewJob } from './job';
import './jobs.calls';
import { JobsRepository } from './jobs.repository';

const JOB_LOOK_MS = 5000;
/** Retry interval while the database does not respond, such as during its startup. */
const JOB_RETRY_MS = 1000;
const WAKE_TIMEOUT_MS = 5000;
/** Maximum time that a cancellation waits for the current step, and its poll interval. */
const CANCEL_WAIT_MS = 4000;
const CANCEL_LOOK_MS = 50;

/** Starts jobs, and resumes unfinished jobs from earlier processes and other machines. */
@Injectable()
export class JobStarter {
  constructor(
    private readonly jobs: JobsRepository,
    private readonly primary: PrimaryClient,
    private readonly background: BackgroundTasks,
    private readonly log: AppLog,
  ) {}

  async begin(job: NewJob): Promise<Job> {
    const queued = await this.jobs.insert(job);
    void this.wake();
    return queued;
  }

  /** Returns false if the previous job of this kind has not ended. */
  async beginOnly(kind: JobKindName, input: unknown = null): Promise<boolean> {
    const isNew = await this.jobs.insertOnly(kind, input);
    void this.wake();
    return isNew;
  }

  async restart(id: string, input: unknown): Promise<boolean> {
    const isQueued = await this.jobs.restart(id, input);
    void this.wake();
    return isQueued;
  }

  /** Waits for the current step, which may still write; returns a slow job while it is running. */
  async cancel(id: string): Promise<Job | null> {
    let job = await this.jobs.cancel(id);
    await this.waitUntilSettled(async () => {
      if (job !== null && isUnfinished(job)) job = await this.jobs.findById(id);
      return job === null || !isUnfinished(job);
    });
    return job;
  }

  async cancelForAccount(ownerId: string): Promise<void> {
    await this.jobs.cancelForAccount(ownerId);
    await this.waitUntilSettled(async () => !(await this.jobs.hasUnfinishedFor(ownerId)));
  }

  continueUnfinished(): void {
    const run = async (): Promise<void> => {
      if (await this.jobs.hasUnfinished()) await this.wake();
    };
    const times = { everyMs: JOB_LOOK_MS, retryMs: JOB_RETRY_MS };
    this.background.repeat({ name: 'check for unfinished jobs', ...times, run }, 0);
  }

  private async waitUntilSettled(isSettled: () => Promise<boolean>): Promise<void> {
    if (await isSettled()) return;
    void this.wake();
    const until = performance.now() + CANCEL_WAIT_MS;
    while (performance.now() < until && !(await isSettled())) await sleep(CANCEL_LOOK_MS);
  }

  private async wake(): Promise<void> {
    try {
      await this.primary.call('jobs.wake', null, WAKE_TIMEOUT_MS);
    } catch (err) {
      this.log.warn('Could not wake the jobs process; retrying', { err });
    }
  }
}
