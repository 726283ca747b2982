import {
  Body,
  Controller,
  Get,
  HttpCode,
  Injectable,
  Post,
  Query,
  UseFilters,
  UseGuards,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { OwnFormGuard } from '../../accounts/pages/own-form.guard';
import {
  Access,
  type Caller,
  CurrentCaller,
  CurrentClient,
  CurrentViewer,
} from '../../auth/access';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { PageResponse, type Viewer } from '../../common/http/page';
import { TakesForms } from '../../common/http/taken-body';
import { Client } from '../../infrastructure/client-address/client-address';
import { MAX_REPORTED_ADDRESS_LENGTH, ReportFormDto, toSingleSubmission } from './report.dto';
import { reportPage, thanksPage } from './report-page';
import { ReportPageFilter } from './report-page.filter';
import { NoShortLinkError, UnknownReportedLinkError } from './reports.errors';
import { ReportsService } from './reports.service';

@Injectable()
export class ReportPagesService {
  constructor(private readonly reports: ReportsService) {}

  show(url: unknown, viewer: Viewer | null): string {
    const isShown = typeof url === 'string' && url.length <= MAX_REPORTED_ADDRESS_LENGTH;
    return reportPage(viewer, isShown ? { url } : {});
  }

  async submit(form: ReportFormDto, caller: Caller, client: Client): Promise<void> {
    const { rejected } = await this.reports.submit(toSingleSubmission(form, caller, client));
    const [fault] = rejected;
    if (fault?.code === 'not_found') throw new UnknownReportedLinkError();
    if (fault !== undefined) throw new NoShortLinkError();
  }
}

@ApiExcludeController()
@Controller('report')
@Access.page()
@TakesForms()
@UseGuards(OwnFormGuard)
@UseFilters(ReportPageFilter)
export class ReportPagesController {
  constructor(private readonly service: ReportPagesService) {}

  @Get()
  @RateLimit.none()
  @PageResponse('The form that reports a link')
  show(@Query('url') url: unknown, @CurrentViewer() viewer: Viewer | null): string {
    return this.service.show(url, viewer);
  }

  @Post()
  @HttpCode(200)
  @RateLimit('reports.create')
  @PageResponse('The report was received')
  async submit(
    @Body() form: ReportFormDto,
    @CurrentCaller() caller: Caller,
    @CurrentClient() client: Client,
    @CurrentViewer() viewer: Viewer | null,
  ): Promise<string> {
    await this.service.submit(form, caller, client);
    return thanksPage(viewer);
  }
}
