import { Controller, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentPrincipal, type Principal } from '../auth/access';
import { RateLimit } from '../auth/rate-limit/rate-limits';
import { IdParam, Operation, Returns } from '../common/http/route.decorators';
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
  @Returns(200, JobResponse, 'The job', 403, 404)
  read(@IdParam("The job's ID") id: string, @CurrentPrincipal() principal: Principal) {
    return this.service.find(id, principal);
  }

  @Post(':id/cancel')
  @RateLimit('jobs.cancel')
  @Operation({
    id: 'cancelJob',
    summary: 'Cancel a job',
    description:
      'Keeps the work done so far. The current step is completed first, usually within a second. A `cancelled` job no longer writes anything. A finished job does not change. Account deletions cannot be cancelled.',
  })
  @Returns(200, JobResponse, 'The job', 403, 404, 409)
  cancel(@IdParam("The job's ID") id: string, @CurrentPrincipal() principal: Principal) {
    return this.service.cancel(id, principal);
  }
}
