import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { AuditActor } from '../../../audit-trail/audit-entry';
import { AdminAccess } from '../../../auth/admin-access.decorator';
import { ApiErrors } from '../../../common/http/api-errors.decorator';
import { OptionalBodyPipe } from '../../../common/http/optional-body.pipe';
import { IdParam } from '../../../common/http/id-param.decorator';
import { Operation } from '../../../common/openapi/operation.decorator';
import { CurrentActor } from '../action/current-actor.decorator';
import { OptionalReasonDto } from '../action/reason.dto';
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
    summary: 'List jobs of all accounts',
    description:
      'Returns a page of the jobs, newest first, including the jobs of the service itself.',
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
      'Keeps the work done so far. A job that has ended does not change. The deletion of an account cannot be cancelled.',
  })
  @ApiBody({ type: OptionalReasonDto, required: false })
  @ApiOkResponse({ type: AdminJobResponse, description: 'The job after the request' })
  @ApiErrors(409)
  cancel(
    @IdParam('Id of the job') id: string,
    @Body(new OptionalBodyPipe(OptionalReasonDto)) { reason }: Readonly<OptionalReasonDto>,
    @CurrentActor() actor: AuditActor,
  ): Promise<AdminJobResponse> {
    return this.service.cancel(id, reason ?? null, actor);
  }
}
