import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { readJobsSettings } from '../../config/environment';
import { JOB_TIMES, type JobTimes } from '../../infrastructure/jobs/job-run';
import { JobRunner } from '../../infrastructure/jobs/job-runner';
import type { JobsCalls } from '../../infrastructure/jobs/jobs.calls';
import { NestLog } from '../../infrastructure/logging/nest-log';
import { PlainLog } from '../../infrastructure/logging/plain-log';
import { MongoConnector } from '../../infrastructure/mongo/mongo-connector';
import { failureReason, serveParent } from '../../processes/child-process/parent-channel';
import type { PrimaryCalls } from '../../processes/rpc/primary-calls';
import { ChildPrimaryClient } from '../../processes/rpc/primary-client';
import { RpcHandlers } from '../../processes/rpc/rpc';
import { JobsProcessModule } from './jobs-process.module';

export async function runJobsProcess(
  kinds: readonly Type[],
  times: JobTimes = JOB_TIMES,
): Promise<void> {
  let stop: (() => Promise<void>) | undefined;
  let runner: JobRunner | undefined;
  const parent = serveParent<JobsCalls, PrimaryCalls>({
    onStop: async () => stop?.(),
    handlers: new RpcHandlers<JobsCalls>()
      .handle('wake', () => {
        runner?.wake();
        return undefined;
      })
      .handle('status', () => {
        if (runner === undefined) throw new Error('The jobs process is still starting');
        return runner.metrics();
      }),
  });
  try {
    const log = new PlainLog();
    const primary = new ChildPrimaryClient(parent.calls);
    const module = JobsProcessModule.forRoot(readJobsSettings(), { kinds, times, primary, log });
    const app = await NestFactory.createApplicationContext(module, {
      logger: new NestLog(log),
      abortOnError: false,
    });
    stop = async () => {
      await runner?.stop();
      await app.close();
    };
    await app.get(MongoConnector).start();
    const created = app.get(JobRunner);
    created.start();
    runner = created;
    parent.ready();
  } catch (error) {
    parent.failed(failureReason(error), { permanent: false });
  }
}
