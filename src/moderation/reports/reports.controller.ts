import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, type Caller, CurrentCaller, CurrentClient } from '../../auth/access';
import { AlsoLimited, RateLimit } from '../../auth/rate-limit/rate-limits';
import { Operation, Returns } from '../../common/http/route.decorators';
import { Client } from '../../infrastructure/client-address/client-address';
import { CreateReportsDto, toSubmission } from './report.dto';
import { SubmittedReportsResponse, toSubmittedReports } from './report.response';
import { REPORT_LIMITS, ReportsService } from './reports.service';

@ApiTags('Reports')
@Controller('api/v1/reports')
@Access.optional('reports:create')
export class ReportsController {
  constructor(private readonly service: ReportsService) {}

  @Post()
  @RateLimit('reports.create')
  @AlsoLimited(REPORT_LIMITS)
  @Operation({
    id: 'reportLinks',
    summary: 'Report harmful links',
    description:
      "Reports links to the service's operator. Owners are not notified. Each item is processed separately: up to 25 without a credential, and up to 100 with one.",
    examples: {
      phishing: {
        summary: 'A link received in a message',
        value: {
          items: [
            {
              code_or_url: 'spring-sale',
              reason: 'phishing',
              details: 'Asks for bank passwords',
              vector: 'sms',
            },
          ],
          reporter_email: 'ada@example.com',
        },
      },
    },
  })
  @Returns(200, SubmittedReportsResponse, 'The number of accepted items', 400)
  async create(
    @Body() body: CreateReportsDto,
    @CurrentCaller() caller: Caller,
    @CurrentClient() client: Client,
  ) {
    return toSubmittedReports(await this.service.submit(toSubmission(body, caller, client)));
  }
}
