import { setTimeout as sleep } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Collection, Connection } from 'mongoose';
import { BadRequestError } from '../../../src/common/errors';
import type { JobKindName } from '../../../src/infrastructure/jobs/job';
import { ChangeBus } from '../../../src/infrastructure/change-bus/bus';
import { OutboundClient } from '../../../src/infrastructure/outbound/outbound.client';
import { OutboundError } from '../../../src/infrastructure/outbound/outbound.errors';
import { SealedValues } from '../../../src/infrastructure/sealed-values/sealed-values';
import {
  JobKind,
  JobWaiting,
  type JobStep,
  type RunningJob,
} from '../../../src/infrastructure/jobs/job-kind';

export interface TestWork {
  readonly steps: number;
  readonly pauseMs?: number;
  /** An encrypted URL that the step requests, and the purpose of the encryption. */
  readonly ask?: { readonly purpose: string; readonly sealed: string };
  /** Executes step `at`, which may fail, wait once, or throw once, depending on the input. */
  readonly tell?: string;
  readonly trouble?: { readonly at: number; readonly what: 'refused' | 'waits' | 'stumbles' };
}

/** A completed unit of work; its id is derived from the job and cursor. */
export interface DoneWork {
  _id: string;
  job: string;
  at: number;
  /** Number of attempts; above 1 only after a kill or a failure. */
  tries: number;
  pids: number[];
}

abstract class TestKind extends JobKind<TestWork, number> {
  private readonly work: Collection<DoneWork>;

  constructor(
    @InjectConnection() connection: Connection,
    private readonly sealed: SealedValues,
    private readonly outbound: OutboundClient,
    private readonly bus: ChangeBus,
  ) {
    super();
    this.work = connection.collection<DoneWork>('test_work');
  }

  async step(job: RunningJob<TestWork, number>): Promise<JobStep<number>> {
    const at = job.cursor ?? 0;
    const { steps, pauseMs = 0, trouble, ask, tell } = job.input;
    const _id = `${job.id}/${at}`;
    job.checkLease();
    const before = await this.work.findOneAndUpdate(
      { _id },
      { $setOnInsert: { job: job.id, at }, $inc: { tries: 1 }, $addToSet: { pids: process.pid } },
      { upsert: true },
    );
    if (trouble?.at === at) troubled(trouble.what, before === null);
    if (tell !== undefined) await this.bus.publish('links.changed', [tell]);
    if (ask !== undefined) await this.askFor(job, ask);
    await sleep(pauseMs, undefined, { signal: job.signal }).catch(() => undefined);
    job.checkLease();
    return { cursor: at + 1 < steps ? at + 1 : null, done: 1, total: steps, counts: { made: 1 } };
  }

  private async askFor(
    { ownerId, signal }: RunningJob,
    { purpose, sealed }: NonNullable<TestWork['ask']>,
  ): Promise<void> {
    const url = this.sealed.open(purpose, ownerId ?? '', Buffer.from(sealed, 'hex'));
    if (url === null) throw new BadRequestError('The stored address is unreadable');
    try {
      await this.outbound.request({ url, maxBytes: 1000, signal });
    } catch (error) {
      throw error instanceof OutboundError ? new BadRequestError(error.message) : error;
    }
  }
}

function troubled(what: 'refused' | 'waits' | 'stumbles', isFirst: boolean): void {
  if (what === 'refused') throw new BadRequestError('Row 3 holds $nothing that is a link');
  if (!isFirst) return;
  if (what === 'stumbles') throw new Error('a secret of the inside');
  throw new JobWaiting(500, { code: 'internal_error', error: 'links.test asks for a pause' });
}

class TestImport extends TestKind {
  readonly name: JobKindName = 'import';
}
class TestExport extends TestKind {
  readonly name: JobKindName = 'account_export';
}
class TestDeletion extends TestKind {
  readonly name: JobKindName = 'account_deletion';
}
class TestListWalk extends TestKind {
  readonly name: JobKindName = 'block_list';
}

const KINDS = [TestImport, TestExport, TestDeletion, TestListWalk];
@Module({ providers: KINDS })
export class TestJobsModule {}
