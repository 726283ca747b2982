import { ApiProperty, OmitType } from '@nestjs/swagger';
import { ISO_PROPERTY, itemPage } from '../../../common/openapi/properties';
import type { Job } from '../../../infrastructure/jobs/job';
import { JobResponse, toJobResponse } from '../../../jobs/job.response';
import { LinkOwnerResponse } from '../links/admin-link.response';

const JOB_TIME = { ...ISO_PROPERTY, nullable: true } as const;

export class AdminJobResponse extends OmitType(JobResponse, [
  'created_at',
  'started_at',
  'finished_at',
]) {
  @ApiProperty({
    type: LinkOwnerResponse,
    nullable: true,
    description: "Null for the service's own jobs",
  })
  owner!: LinkOwnerResponse | null;
  @ApiProperty(ISO_PROPERTY) created_at!: string;
  @ApiProperty(JOB_TIME) started_at!: string | null;
  @ApiProperty(JOB_TIME) finished_at!: string | null;
}

export class AdminJobPageResponse extends itemPage(AdminJobResponse) {}

export function toAdminJob(job: Job, emails: ReadonlyMap<string, string>): AdminJobResponse {
  const { ownerId, createdAt, startedAt, finishedAt } = job;
  const { id, kind, state, progress, counts, error } = toJobResponse(job);
  return {
    id,
    kind,
    state,
    progress,
    counts,
    error,
    owner: ownerId === null ? null : { id: ownerId, email: emails.get(ownerId) ?? null },
    created_at: createdAt.toISOString(),
    started_at: startedAt?.toISOString() ?? null,
    finished_at: finishedAt?.toISOString() ?? null,
  };
}
