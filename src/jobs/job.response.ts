import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { COUNT, ID_PROPERTY, UNIX } from '../common/openapi/properties';
import { unixSeconds } from '../common/time';
import {
  type Job,
  JOB_KIND_NAMES,
  JOB_KINDS,
  JOB_STATES,
  type JobState,
} from '../infrastructure/jobs/job';

const JOB_UNITS = [...new Set(Object.values(JOB_KINDS).map(({ unit }) => unit))];

export class JobProgress {
  @ApiProperty({ ...COUNT, description: 'Never decreases while the job runs' }) done!: number;
  @ApiProperty({ ...COUNT, nullable: true, description: 'Null while unknown' })
  total!: number | null;
  @ApiProperty({ enum: JOB_UNITS }) unit!: string;
}

export class JobFailure {
  @ApiProperty({ example: 'internal_error' }) code!: string;
  @ApiProperty({ description: 'For people', example: 'An unexpected failure' }) error!: string;
  @ApiPropertyOptional() hint?: string;
}

export class JobResponse {
  @ApiProperty(ID_PROPERTY) id!: string;
  @ApiProperty({ enum: JOB_KIND_NAMES }) kind!: string;
  @ApiProperty({
    enum: JOB_STATES,
    description:
      '`waiting`: the job is waiting for another service. Jobs in the first three states are unfinished',
  })
  state!: JobState;
  @ApiProperty() progress!: JobProgress;
  @ApiProperty({
    type: Object,
    additionalProperties: { type: 'integer', minimum: 0 },
    description: 'Number of results by verdict; empty for kinds of jobs without verdicts',
    example: { created: 1200, alias_taken: 3 },
  })
  counts!: Record<string, number>;
  @ApiProperty(UNIX) created_at!: number;
  @ApiProperty({ ...UNIX, nullable: true }) started_at!: number | null;
  @ApiProperty({ ...UNIX, nullable: true }) finished_at!: number | null;
  @ApiProperty({
    type: JobFailure,
    nullable: true,
    description: 'The latest failure, even while the job is being retried',
  })
  error!: JobFailure | null;
}

export function toJobResponse(job: Job): JobResponse {
  const { done, total, error } = job;
  return {
    id: job.id,
    kind: job.kind,
    state: job.state,
    progress: { done, total, unit: JOB_KINDS[job.kind].unit },
    counts: { ...job.counts },
    created_at: unixSeconds(job.createdAt),
    started_at: unixSeconds(job.startedAt),
    finished_at: unixSeconds(job.finishedAt),
    error: error === null ? null : { ...error },
  };
}
