import { Injectable } from '@nestjs/common';
import { AccountsRepository } from '../../../accounts/account/accounts.repository';
import type { AuditActor } from '../../../audit-trail/audit-entry';
import { toPage } from '../../../common/openapi/properties';
import { AuditTrailService } from '../../../audit-trail/audit-trail.service';
import { isUnfinished, type Job, JOB_KINDS } from '../../../infrastructure/jobs/job';
import { JobStarter } from '../../../infrastructure/jobs/job-starter';
import { JobsRepository } from '../../../infrastructure/jobs/jobs.repository';
import { NotCancellableError, UnknownJobError } from '../../../jobs/jobs.errors';
import { ownerIdFor } from '../action/owner-filter';
import { type AdminJobPageResponse, type AdminJobResponse, toAdminJob } from './admin-job.response';
import type { ListJobsDto } from './admin-jobs.dto';

@Injectable()
export class AdminJobsService {
  constructor(
    private readonly jobs: JobsRepository,
    private readonly starter: JobStarter,
    private readonly accounts: AccountsRepository,
    private readonly trail: AuditTrailService,
  ) {}

  async list(query: ListJobsDto): Promise<AdminJobPageResponse> {
    const { state, kind, owner, page, pageSize } = query;
    const ownerId = owner ? await ownerIdFor(owner, this.accounts) : undefined;
    if (ownerId === null) return toPage([], query, 0);
    const { jobs, total } = await this.jobs.page({ state, kind, ownerId }, page, pageSize);
    return toPage(await this.toResponses(jobs), query, total);
  }

  /** @throws UnknownJobError, NotCancellableError */
  async cancel(id: string, reason: string | null, actor: AuditActor): Promise<AdminJobResponse> {
    const before = await this.jobs.findById(id);
    if (before === null) throw new UnknownJobError();
    if (!isUnfinished(before)) return this.toResponse(before);
    if (!JOB_KINDS[before.kind].cancellable) throw new NotCancellableError();
    const after = (await this.starter.cancel(id)) ?? before;
    if (!before.isCancelled && after.isCancelled) {
      await this.trail.add({
        actor,
        act: 'job.cancel',
        subject: { kind: 'job', id },
        reason,
        before: { state: before.state },
        after: { state: 'cancelled' },
      });
    }
    return this.toResponse(after);
  }

  private async toResponse(job: Job): Promise<AdminJobResponse> {
    const [item] = await this.toResponses([job]);
    if (item === undefined) throw new UnknownJobError();
    return item;
  }

  private async toResponses(jobs: readonly Job[]): Promise<AdminJobResponse[]> {
    const owners = [...new Set(jobs.flatMap(({ ownerId }) => ownerId ?? []))];
    const emails = await this.accounts.findEmails(owners);
    return jobs.map((job) => toAdminJob(job, emails));
  }
}
