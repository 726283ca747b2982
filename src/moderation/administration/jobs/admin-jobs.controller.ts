import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { AuditActor } from '../../../audit-trail/audit-entry';
import { AdminAccess } from '../../../auth/admin-access.decorator';
import { ApiErrors } from '../../../common/http/api-errors.decorator';
import { OptionalBodyPipe } from '../../../common/http/optional-body.pipe';
import { ParseIdPipe } from '../../../common/http/parse-id.pipe';
import { Operation } from '../../../common/openapi/operation.decorator';
import { IdParam } from '../../../common/openapi/properties';
import { CurrentActor } from '../current-actor.decorator';
import { OptionalReasonDto } from '../reason.dto';
import { AdminJobPageResponse, AdminJobResponse } from './admin-job.response';
import { ListJobsDto } from './admin-jobs.dto';
import { AdminJobsService } from './admin-jobs.service';

@ApiTags('Administration')
@Controller('api/v1/admin/jobs')
export class AdminJobsController {
  constructor(private readonly service: AdminJobsService) {}

  @Get()
  @AdminAccess('read')
  @Operation({
    id: 'listJobs',
    summary: 'Jobs of all accounts',
    description: "One page, the newest first, with the service's own jobs.",
  })
  @ApiOkResponse({ type: AdminJobPageResponse, description: 'A page' })
  list(@Query() query: ListJobsDto): Promise<AdminJobPageResponse> {
    return this.service.list(query);
  }

  @Post(':id/cancel')
  @HttpCode(200)
  @AdminAccess('write')
  @Operation({
    id: 'cancelAnyJob',
    summary: 'Cancel a job of any account',
    description:
      'What the job has done so far stays. A job that has ended stays as it is. The deletion of an account cannot be cancelled.',
  })
  @IdParam('id', 'Id of the job')
  @ApiBody({ type: OptionalReasonDto, required: false })
  @ApiOkResponse({ type: AdminJobResponse, description: 'The job as it is now' })
  @ApiErrors(409)
  cancel(
    @Param('id', ParseIdPipe) id: string,
    @Body(new OptionalBodyPipe(OptionalReasonDto)) { reason }: Readonly<OptionalReasonDto>,
    @CurrentActor() actor: AuditActor,
  ): Promise<AdminJobResponse> {
    return this.service.cancel(id, reason ?? null, actor);
  }
}
