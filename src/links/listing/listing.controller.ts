import { Controller, Get, Query } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { Access, CurrentPrincipal, type Principal } from '../../auth/access';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { IdParam, Operation, Returns } from '../../common/http/route.decorators';
import { answerHeaders } from '../../common/openapi/answer-headers';
import { type FileResult, SendsResult } from '../../common/http/http-result';
import { contentType } from '../../infrastructure/files/file-formats';
import { LINK_COLUMNS, LinkItemResponse } from '../making/link.response';
import { ExportLinksDto, ListLinksDto } from './list-links.dto';
import { LinkExportService, ListingService } from './listing.service';
import { LinkFileResponse, LinkPageResponse } from './link-page.response';

const LINK_FILES = {
  'text/csv': {
    schema: {
      type: 'string',
      description: 'A header with the column names, and one line per link',
      example: `${Object.keys(LINK_COLUMNS).join(',')}\r\n`,
    },
  },
  [contentType('json')]: { schema: { $ref: getSchemaPath(LinkFileResponse) } },
  [contentType('xlsx')]: {
    schema: {
      type: 'string',
      format: 'binary',
      description: 'A workbook with one row per link',
    },
  },
};

@ApiTags('Links')
@Controller('api/v1/urls')
@Access('urls:read')
export class ListingController {
  constructor(
    private readonly service: ListingService,
    private readonly files: LinkExportService,
  ) {}

  @Get()
  @RateLimit('links.list')
  @Operation({
    id: 'listLinks',
    summary: 'List your links',
    description: 'Returns a sorted page of your links that match `filter`.',
  })
  @Returns(200, LinkPageResponse, 'A page of links; a page past the end is empty')
  list(@Query() query: ListLinksDto, @CurrentPrincipal() caller: Principal) {
    return this.service.list(query, caller);
  }

  @Get('export')
  @RateLimit('links.export')
  @SendsResult()
  @Operation({
    id: 'exportLinks',
    summary: 'Download your links',
    description: `Returns all of your links that match \`filter\`, newest first. CSV and XLSX have these columns: ${Object.keys(LINK_COLUMNS).join(', ')}.`,
  })
  @ApiExtraModels(LinkFileResponse)
  @ApiOkResponse({
    description: 'The file; its media type depends on the format',
    headers: answerHeaders('Content-Disposition'),
    content: LINK_FILES,
  })
  export(
    @Query() query: ExportLinksDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<FileResult> {
    return this.files.file(query, caller);
  }

  @Get(':url_id')
  @RateLimit('links.read')
  @Operation({
    id: 'getLink',
    summary: 'Read a link',
    description: 'Returns one of your links, with the same fields as in the list.',
  })
  @Returns(200, LinkItemResponse, 'The link', 403, 404)
  show(@IdParam("The link's ID", 'url_id') urlId: string, @CurrentPrincipal() caller: Principal) {
    return this.service.show(urlId, caller);
  }
}
