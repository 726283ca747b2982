import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { AdminAccess } from '../../auth/admin-access.decorator';
import { type FileResult, SendsResult } from '../../common/http/http-result';
import { answerHeaders } from '../../common/openapi/answer-headers';
import { Operation } from '../../common/openapi/operation.decorator';
import { ListTrailDto } from './audit-trail.dto';
import { AuditTrailPageResponse } from './audit-trail.response';
import { AuditTrailReadingService } from './audit-trail-reading.service';

@ApiTags('Administration')
@Controller('api/v1/admin/trail')
export class AuditTrailController {
  constructor(private readonly service: AuditTrailReadingService) {}

  @Get()
  @AdminAccess('read')
  @Operation({
    id: 'listTrail',
    summary: 'Who did what as an admin',
    description:
      'One page of the trail, the newest entries first. Nobody can change or remove any.',
  })
  @ApiOkResponse({ type: AuditTrailPageResponse, description: 'A page' })
  list(@Query() query: ListTrailDto): Promise<AuditTrailPageResponse> {
    return this.service.page(query);
  }

  @Get('export')
  @AdminAccess('read')
  @SendsResult()
  @Operation({
    id: 'exportTrail',
    summary: 'The trail as a file',
    description: 'Every entry as a line of JSON, the oldest first, without addresses.',
  })
  @ApiOkResponse({
    description: 'The file',
    headers: answerHeaders('Content-Disposition'),
    content: { 'application/x-ndjson': { schema: { type: 'string' } } },
  })
  export(): FileResult {
    return this.service.export();
  }
}
