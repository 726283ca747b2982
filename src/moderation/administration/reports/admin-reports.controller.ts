import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import type { AuditActor } from '../../../audit-trail/audit-entry';
import { AdminAccess } from '../../../auth/admin-access.decorator';
import { IdParam, Operation, Returns } from '../../../common/http/route.decorators';
import { CurrentActor } from '../action/current-actor.decorator';
import { OptionalBodyPipe } from '../../../common/http/optional-body.pipe';
import { OptionalReasonDto } from '../action/reason.dto';
import { AdminReportPageResponse, AdminReportResponse } from './admin-report.response';
import { ListReportsDto } from './admin-reports.dto';
import { AdminReportsService } from './admin-reports.service';

const REPORT_REASON_BODY = { type: OptionalReasonDto, required: false };

@ApiTags('Administration')
@Controller('api/v1/admin/reports')
export class AdminReportsController {
  constructor(private readonly service: AdminReportsService) {}

  @Get()
  @AdminAccess('read')
  @Operation({
    id: 'listReports',
    summary: 'List reports',
    description:
      'Returns a page of reports, newest first. By default, only open reports are listed.',
  })
  @Returns(200, AdminReportPageResponse, 'A page')
  list(@Query() query: ListReportsDto) {
    return this.service.list(query);
  }

  @Get(':id')
  @AdminAccess('read')
  @Operation({
    id: 'getReport',
    summary: 'Read a report',
    description: 'Returns the link, the number of reports by reason, and the newest texts.',
  })
  @Returns(200, AdminReportResponse, 'The report')
  show(@IdParam("The report's ID") id: string) {
    return this.service.show(id);
  }

  @Post(':id/block')
  @AdminAccess('write')
  @Operation({
    id: 'blockReportedLink',
    summary: 'Block the reported link',
    description:
      'Blocks the link and closes the report. If `reason` is absent, the most frequent reason among the reports is used.',
  })
  @ApiBody(REPORT_REASON_BODY)
  @Returns(200, AdminReportResponse, 'The report, blocked', 409)
  block(
    @IdParam("The report's ID") id: string,
    @Body(new OptionalBodyPipe(OptionalReasonDto)) { reason }: Readonly<OptionalReasonDto>,
    @CurrentActor() actor: AuditActor,
  ) {
    return this.service.block(id, reason ?? null, actor);
  }

  @Post(':id/dismiss')
  @AdminAccess('write')
  @Operation({
    id: 'dismissReport',
    summary: 'Dismiss a report',
    description: 'Closes the report without changing the link.',
  })
  @ApiBody(REPORT_REASON_BODY)
  @Returns(200, AdminReportResponse, 'The report, dismissed', 409)
  dismiss(
    @IdParam("The report's ID") id: string,
    @Body(new OptionalBodyPipe(OptionalReasonDto)) { reason }: Readonly<OptionalReasonDto>,
    @CurrentActor() actor: AuditActor,
  ) {
    return this.service.dismiss(id, reason ?? null, actor);
  }
}
