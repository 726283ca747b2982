import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Access } from '../../auth/access.decorator';
import { type Caller, CurrentCaller, CurrentClient } from '../../auth/caller';
import { AlsoLimited, RateLimit } from '../../auth/rate-limit/rate-limits';
import { ApiErrors } from '../../common/http/api-errors.decorator';
import { Operation } from '../../common/openapi/operation.decorator';
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
  @HttpCode(200)
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
  @ApiOkResponse({ type: SubmittedReportsResponse, description: 'The number of accepted items' })
  @ApiErrors(400)
  async create(
    @Body() body: CreateReportsDto,
    @CurrentCaller() caller: Caller,
    @CurrentClient() client: Client,
  ): Promise<SubmittedReportsResponse> {
    return toSubmittedReports(await this.service.submit(toSubmission(body, caller, client)));
  }
}
