import type { Connection, Model } from 'mongoose';
import { JobRecord, JobSchema } from '../../../src/infrastructure/jobs/job.schema';
import { JobsRepository } from '../../../src/infrastructure/jobs/jobs.repository';

export function jobsIn(connection: Connection): JobsRepository {
  const model: Model<JobRecord> = connection.model(JobRecord.name, JobSchema);
  return new JobsRepository(model);
}
