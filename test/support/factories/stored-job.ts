import type { Connection, Model } from 'mongoose';
import type { Job, NewJob } from '../../../src/infrastructure/jobs/job';
import { JobRecord, JobSchema } from '../../../src/infrastructure/jobs/job.schema';
import { JobsRepository } from '../../../src/infrastructure/jobs/jobs.repository';
import type { ExpiredDocuments } from '../../../src/infrastructure/mongo/expired-documents';
import { databaseOf } from '../database';
import type { TestWork } from '../jobs/test-jobs.module';
import type { Service } from '../service';

/** The repository of the program on a connection of the test's own. */
export function jobsIn(
  connection: Connection,
  expired: Pick<ExpiredDocuments, 'register'> = { register: () => undefined },
): JobsRepository {
  const model: Model<JobRecord> = connection.model(JobRecord.name, JobSchema);
  return new JobsRepository(model, expired as ExpiredDocuments);
}

/** A queued job of the tests' kinds, which no route begins. */
export async function aQueuedJob(
  service: Service,
  { input, ...job }: Omit<NewJob, 'input'> & { input: TestWork },
): Promise<Job> {
  const database = await databaseOf(service);
  try {
    return await jobsIn(database).insert({ ...job, input });
  } finally {
    await database.close();
  }
}
