import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Access } from '../auth/access.decorator';
import { CurrentPrincipal } from '../auth/caller';
import type { Principal } from '../auth/principal';
import { RateLimit } from '../auth/rate-limit/rate-limits';
import { ApiErrors } from '../common/http/api-errors.decorator';
import { IdParam } from '../common/http/id-param.decorator';
import { Operation } from '../common/openapi/operation.decorator';
import { JobResponse } from './job.response';
import { JobsService } from './jobs.service';

@ApiTags('Jobs')
@Controller('api/v1/jobs')
@Access.account()
export class JobsController {
  constructor(private readonly service: JobsService) {}

  @Get(':id')
  @RateLimit('jobs.read')
  @Operation({
    id: 'getJob',
    summary: 'Read a job',
    description:
      "Returns a job's state, progress and error. A key needs the scope required by the route that started the job; if only sessions can start a job, only sessions can read it. Finished jobs are kept for 30 days.",
  })
  @ApiOkResponse({ type: JobResponse, description: 'The job' })
  @ApiErrors(403, 404)
  read(
    @IdParam("The job's ID") id: string,
    @CurrentPrincipal() principal: Principal,
  ): Promise<JobResponse> {
    return this.service.find(id, principal);
  }

  @Post(':id/cancel')
  @HttpCode(200)
  @RateLimit('jobs.cancel')
  @Operation({
    id: 'cancelJob',
    summary: 'Cancel a job',
    description:
      'Keeps the work done so far. The current step is completed first, usually within a second. A `cancelled` job no longer writes anything. A finished job does not change. Account deletions cannot be cancelled.',
  })
  @ApiOkResponse({ type: JobResponse, description: 'The job' })
  @ApiErrors(403, 404, 409)
  cancel(
    @IdParam("The job's ID") id: string,
    @CurrentPrincipal() principal: Principal,
  ): Promise<JobResponse> {
    return this.service.cancel(id, principal);
  }
}
