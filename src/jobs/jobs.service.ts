import { Injectable } from '@nestjs/common';
import { KeyRefusedError, ScopeMissingError } from '../auth/access.errors';
import type { Principal } from '../auth/access';
import { isUnfinished, type Job, JOB_KINDS } from '../infrastructure/jobs/job';
import { JobStarter } from '../infrastructure/jobs/job-starter';
import { JobsRepository } from '../infrastructure/jobs/jobs.repository';
import { type JobResponse, toJobResponse } from './job.response';
import { NotCancellableError, UnknownJobError } from './jobs.errors';

@Injectable()
export class JobsService {
  constructor(
    private readonly jobs: JobsRepository,
    private readonly starter: JobStarter,
  ) {}

  async find(id: string, principal: Principal): Promise<JobResponse> {
    return toJobResponse(await this.findVisible(id, principal));
  }

  async cancel(id: string, principal: Principal): Promise<JobResponse> {
    const job = await this.findVisible(id, principal);
    if (isUnfinished(job) && !JOB_KINDS[job.kind].cancellable) throw new NotCancellableError();
    return toJobResponse((await this.starter.cancel(id)) ?? job);
  }

  /** An API key can see a job if the key has the scope for the route that started the job. */
  private async findVisible(id: string, { ownerId, kind, scopes }: Principal): Promise<Job> {
    const job = await this.jobs.findById(id);
    if (job === null) throw new UnknownJobError();
    const { access } = JOB_KINDS[job.kind];
    if (access === 'service' || job.ownerId !== ownerId) throw new UnknownJobError();
    if (kind === 'session') return job;
    if (access === 'sessions') throw new KeyRefusedError();
    if (!scopes.includes(access) && !scopes.includes('admin:all')) {
      throw new ScopeMissingError([access]);
    }
    return job;
  }
}
