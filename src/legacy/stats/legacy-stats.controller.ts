import {
  applyDecorators,
  Controller,
  Get,
  Header,
  Post,
  Redirect,
  UseFilters,
} from '@nestjs/common';
import {
  ApiExtraModels,
  ApiFoundResponse,
  ApiOkResponse,
  ApiQuery,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import { ExportFileResponse } from '../../analytics/export/export-file.decorator';
import { EXPORT_FORMATS } from '../../infrastructure/files/file-formats';
import { StatisticsResponse } from '../../analytics/report/statistics.response';
import { Access, CurrentViewer } from '../../auth/access';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { type HttpResult, SendsResult } from '../../common/http/http-result';
import { BOM_DESCRIPTION } from '../../common/http/validators';
import { PageResponse, type Viewer } from '../../common/http/page';
import { answerHeaders } from '../../common/openapi/answer-headers';
import { FormBody, type FormFields, FormQuery } from '../../common/http/form-fields';
import { Operation } from '../../common/http/route.decorators';
import { CodeParam } from '../../common/openapi/properties';
import { AUDIENCE_TITLES, RANGES } from '../stats-page/page-query';
import { statisticsFormPage } from '../stats-page/statistics-form-page';
import { LegacyExceptionFilter } from '../refusals/legacy-exception.filter';
import { CurrentLegacyRequest, type LegacyRequest } from '../request/legacy-request';
import { LegacyFailures } from '../request/legacy.errors';
import { LegacyStatistics } from './legacy-stats.response';
import { LegacyStatsService, typedShortCode } from './legacy-stats.service';
import { CurrentStatisticsRequest, type StatisticsRequest } from './statistics-request';

export const PASSWORD_FIELD: FormFields = {
  password: { description: "The link's password, if it has one" },
};

function PageParameters(): MethodDecorator {
  const date = { required: false, schema: { type: 'string', format: 'date' } } as const;
  return applyDecorators(
    ApiQuery({
      name: 'range',
      required: false,
      enum: Object.keys(RANGES),
      description: 'The days to count; default: all',
    }),
    ApiQuery({ name: 'from', description: 'First day to count, instead of `range`', ...date }),
    ApiQuery({ name: 'to', description: 'Last day to count', ...date }),
    ApiQuery({
      name: 'timezone',
      required: false,
      type: String,
      description: 'IANA name, default UTC',
    }),
    ApiQuery({
      name: 'audience',
      required: false,
      enum: Object.keys(AUDIENCE_TITLES),
      description: 'Whose clicks to count: humans (the default), previews, bots or all',
    }),
  );
}

function StatisticsFile(): MethodDecorator {
  return applyDecorators(
    SendsResult(),
    CodeParam(),
    PageParameters(),
    ApiQuery({ name: 'format', enum: EXPORT_FORMATS, description: 'The file format' }),
    ApiQuery({ name: 'bom', required: false, type: Boolean, description: BOM_DESCRIPTION }),
    ExportFileResponse(StatisticsResponse),
    LegacyFailures({ 400: ['PasswordError', 'FormatError'], 404: ['UrlError'] }),
  );
}

@ApiTags('v0')
@Controller('stats/:code')
@Access.page({ whileLeaving: true })
@RateLimit('legacy.stats')
@UseFilters(LegacyExceptionFilter)
export class LegacyStatsController {
  constructor(private readonly service: LegacyStatsService) {}

  @Post()
  @SendsResult()
  @Header('Cache-Control', 'no-store')
  @Operation({
    id: 'getLegacyStatistics',
    deprecated: true,
    summary: 'Read statistics in the v0 format',
    description:
      'Returns all clicks since the link was created, or a page if `Accept` contains text/html.',
  })
  @FormBody(PASSWORD_FIELD)
  @ApiExtraModels(LegacyStatistics)
  @ApiOkResponse({
    description: 'The statistics; a page if `Accept` contains text/html',
    content: {
      'application/json': { schema: { $ref: getSchemaPath(LegacyStatistics) } },
      'text/html': { schema: { type: 'string' } },
    },
  })
  @LegacyFailures({ 400: ['PasswordError'], 404: ['UrlError'] })
  @CodeParam()
  read(@CurrentStatisticsRequest() requested: StatisticsRequest): Promise<HttpResult> {
    return this.service.objectOrPage(requested);
  }

  @Get()
  @Operation({
    id: 'showStatisticsPage',
    summary: "Show a link's statistics",
    description: 'Shows the statistics page, or a form if the link has a password.',
  })
  @FormQuery(PASSWORD_FIELD)
  @PageResponse("The link's statistics")
  @PageParameters()
  @LegacyFailures({ 400: ['PasswordError'], 404: ['UrlError'] }, 'page')
  @CodeParam()
  show(@CurrentStatisticsRequest() requested: StatisticsRequest): Promise<string> {
    return this.service.page(requested);
  }
}

@ApiTags('Pages')
@Controller('stats/:code/download')
@Access.page({ whileLeaving: true })
@RateLimit('pages.download')
@UseFilters(LegacyExceptionFilter)
export class StatisticsDownloadController {
  constructor(private readonly service: LegacyStatsService) {}

  @Get()
  @Operation({
    id: 'downloadPublicStatistics',
    summary: 'Download the statistics page as a file',
    description: "Returns a file in the v1 format, for the page's range, time zone and audience.",
  })
  @FormQuery(PASSWORD_FIELD)
  @StatisticsFile()
  download(@CurrentStatisticsRequest() requested: StatisticsRequest): Promise<HttpResult> {
    return this.service.download(requested);
  }

  @Post()
  @Operation({
    id: 'downloadProtectedStatistics',
    summary: 'Download the statistics page with a password',
    description: 'Like GET, with the link password in a form.',
  })
  @FormBody(PASSWORD_FIELD)
  @StatisticsFile()
  downloadWithPassword(
    @CurrentStatisticsRequest() requested: StatisticsRequest,
  ): Promise<HttpResult> {
    return this.service.download(requested);
  }
}

@ApiTags('v0')
@Controller('stats')
@Access.page({ whileLeaving: true })
@RateLimit('legacy.stats-form')
@UseFilters(LegacyExceptionFilter)
export class StatsFormController {
  @Get()
  @Operation({
    id: 'showStatisticsForm',
    summary: 'Show the statistics form',
    description: "Shows a form that opens a short link's statistics.",
  })
  @PageResponse('The form')
  form(@CurrentViewer() viewer: Viewer | null): string {
    return statisticsFormPage(viewer);
  }

  @Post()
  @Redirect()
  @Operation({
    id: 'openStatistics',
    summary: "Go to a link's statistics",
    description: "Handles the form and redirects to the link's statistics page.",
    examples: { code: { summary: 'A code', value: { short_code: 'spring-sale' } } },
  })
  @FormBody({
    short_code: {
      description: 'A short code, or a whole short URL',
      required: true,
      example: 'spring-sale',
    },
  })
  @ApiFoundResponse({
    description: 'Redirect to /stats/{code}',
    headers: answerHeaders('Location'),
  })
  goTo(@CurrentLegacyRequest() { input }: LegacyRequest): { url: string; statusCode: number } {
    return {
      url: `/stats/${encodeURIComponent(typedShortCode(input('short_code')))}`,
      statusCode: 302,
    };
  }
}
