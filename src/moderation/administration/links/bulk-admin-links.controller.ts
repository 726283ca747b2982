import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { AuditActor } from '../../../audit-trail/audit-entry';
import { AdminAccess } from '../../../auth/admin-access.decorator';
import { Operation, Returns } from '../../../common/http/route.decorators';
import { BulkResponse } from '../../../links/bulk/bulk.response';
import { CurrentActor } from '../action/current-actor.decorator';
import { BulkActDto, BulkBlockDto } from './admin-links.dto';
import { AdminLinksService, BulkAdminLinksService } from './admin-links.service';

const ADMIN_ROWS_DESCRIPTION =
  'Changes up to 100 links by ID. The response is always 200. `results` contains a row with the outcome for each link, in request order.';

/** Must be registered before AdminLinksController, whose path patterns also match these paths. */
@ApiTags('Administration')
@Controller('api/v1/admin/urls/bulk')
export class BulkAdminLinksController {
  constructor(
    private readonly service: BulkAdminLinksService,
    private readonly links: AdminLinksService,
  ) {}

  @Post('block')
  @AdminAccess('write')
  @Operation({ id: 'blockLinks', summary: 'Block many links', description: ADMIN_ROWS_DESCRIPTION })
  @Returns(200, BulkResponse, 'One row per link', 400)
  blockMany(@Body() { ids, reason }: BulkBlockDto, @CurrentActor() actor: AuditActor) {
    return this.service.run(ids, (id) => this.links.block(id, reason, actor));
  }

  @Post('unblock')
  @AdminAccess('write')
  @Operation({
    id: 'unblockLinks',
    summary: 'Unblock many links',
    description: ADMIN_ROWS_DESCRIPTION,
  })
  @Returns(200, BulkResponse, 'One row per link', 400)
  unblockMany(@Body() { ids, reason }: BulkActDto, @CurrentActor() actor: AuditActor) {
    return this.service.run(ids, (id) => this.links.unblock(id, reason ?? null, actor));
  }

  @Post('delete')
  @AdminAccess('write')
  @Operation({
    id: 'deleteAnyLinks',
    summary: 'Delete many links',
    description: ADMIN_ROWS_DESCRIPTION,
  })
  @Returns(200, BulkResponse, 'One row per link', 400)
  removeMany(@Body() { ids, reason }: BulkActDto, @CurrentActor() actor: AuditActor) {
    return this.service.run(ids, (id) => this.links.remove(id, reason ?? null, actor));
  }
}
