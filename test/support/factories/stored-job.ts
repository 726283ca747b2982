import type { Connection, Model } from 'mongoose';
import { JobRecord, JobSchema } from '../../../src/infrastructure/jobs/job.schema';
import { JobsRepository } from '../../../src/infrastructure/jobs/jobs.repository';
import type { ExpiredDocuments } from '../../../src/infrastructure/mongo/expired-documents';

export function jobsIn(
  connection: Connection,
  expired: Pick<ExpiredDocuments, 'register'> = { register: () => undefined },
): JobsRepository {
  const model: Model<JobRecord> = connection.model(JobRecord.name, JobSchema);
  return new JobsRepository(model, expired as ExpiredDocuments);
}
