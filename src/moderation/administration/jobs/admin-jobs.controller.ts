import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import type { AuditActor } from '../../../audit-trail/audit-entry';
import { AdminAccess } from '../../../auth/admin-access.decorator';
import { IdParam, Operation, Returns } from '../../../common/http/route.decorators';
import { OptionalBodyPipe } from '../../../common/http/optional-body.pipe';
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
    summary: 'List jobs from all accounts',
    description: "Returns a page of jobs, newest first, including the service's own jobs.",
  })
  @Returns(200, AdminJobPageResponse, 'A page')
  list(@Query() query: ListJobsDto) {
    return this.service.list(query);
  }

  @Post(':id/cancel')
  @AdminAccess('write')
  @Operation({
    id: 'cancelAnyJob',
    summary: "Cancel any account's job",
    description:
      'Keeps the work done so far. A finished job does not change. Account deletions cannot be cancelled.',
  })
  @ApiBody({ type: OptionalReasonDto, required: false })
  @Returns(200, AdminJobResponse, 'The job after the request', 409)
  cancel(
    @IdParam("The job's ID") id: string,
    @Body(new OptionalBodyPipe(OptionalReasonDto)) { reason }: Readonly<OptionalReasonDto>,
    @CurrentActor() actor: AuditActor,
  ) {
    return this.service.cancel(id, reason ?? null, actor);
  }
}
