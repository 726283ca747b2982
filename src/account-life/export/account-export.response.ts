import { ApiProperty } from '@nestjs/swagger';
import { COUNT, ID_PROPERTY, UNIX } from '../../common/openapi/properties';
import { unixSeconds } from '../../common/time';
import { EXPORT_KEPT_MS, type Job } from '../../infrastructure/jobs/job';
import { JobResponse, toJobResponse } from '../../jobs/job.response';
import type { StoredExport } from './export-files.repository';

export class ExportFileResponse {
  @ApiProperty(COUNT) bytes!: number;
  @ApiProperty({ pattern: '^[0-9a-f]{64}$', example: '9f86d08'.padEnd(64, '0') }) sha256!: string;
}

export class AccountExportResponse extends JobResponse {
  @ApiProperty({ type: ExportFileResponse, nullable: true, description: 'Null until it is done' })
  file!: ExportFileResponse | null;

  @ApiProperty({
    ...UNIX,
    nullable: true,
    description: 'When the export is removed; null until it has finished',
  })
  expires_at!: number | null;
}

export class AccountExportsResponse {
  @ApiProperty({ type: [AccountExportResponse], maxItems: 10 })
  exports!: AccountExportResponse[];
}

export class RemovedExportResponse {
  @ApiProperty({ enum: ['Export deleted'] }) message!: string;
  @ApiProperty(ID_PROPERTY) id!: string;
}

export function toExportResponse(job: Job, file: StoredExport | null): AccountExportResponse {
  const { finishedAt } = job;
  return Object.assign(toJobResponse(job), {
    file: job.state === 'done' && file !== null ? { ...file } : null,
    expires_at: finishedAt && unixSeconds(new Date(finishedAt.getTime() + EXPORT_KEPT_MS)),
  });
}
