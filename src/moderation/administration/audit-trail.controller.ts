import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { AdminAccess } from '../../auth/admin-access.decorator';
import { type FileResult, SendsResult } from '../../common/http/http-result';
import { answerHeaders } from '../../common/openapi/answer-headers';
import { AUDIT_ACTS } from '../../audit-trail/audit-entry';
import { ID_PROPERTY, ISO_PROPERTY } from '../../common/openapi/properties';
import { Operation, Returns } from '../../common/http/route.decorators';
import { ListTrailDto } from './audit-trail.dto';
import { AuditTrailPageResponse } from './audit-trail.response';
import { AuditTrailReadingService } from './audit-trail-reading.service';

const LINE_EXAMPLE = `${JSON.stringify({
  id: ID_PROPERTY.example,
  at: ISO_PROPERTY.example,
  act: AUDIT_ACTS[0],
})}\n`;

@ApiTags('Administration')
@Controller('api/v1/admin/trail')
export class AuditTrailController {
  constructor(private readonly service: AuditTrailReadingService) {}

  @Get()
  @AdminAccess('read')
  @Operation({
    id: 'listTrail',
    summary: 'List admin actions',
    description:
      'Returns a page of the audit trail, newest entries first. Entries cannot be changed or removed.',
  })
  @Returns(200, AuditTrailPageResponse, 'A page')
  list(@Query() query: ListTrailDto) {
    return this.service.page(query);
  }

  @Get('export')
  @AdminAccess('read')
  @SendsResult()
  @Operation({
    id: 'exportTrail',
    summary: 'Download the audit trail',
    description: 'Returns one JSON entry per line, oldest first, without email addresses.',
  })
  @ApiOkResponse({
    description: 'The file',
    headers: answerHeaders('Content-Disposition'),
    content: { 'application/x-ndjson': { schema: { type: 'string', example: LINE_EXAMPLE } } },
  })
  export(): FileResult {
    return this.service.export();
  }
}
