import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { AuditActor } from '../../../audit-trail/audit-entry';
import { AdminAccess } from '../../../auth/admin-access.decorator';
import { ApiErrors } from '../../../common/http/api-errors.decorator';
import { Operation } from '../../../common/openapi/operation.decorator';
import { type BulkAnswer, BulkResponse, type LinkRow } from '../../../links/bulk/bulk.response';
import { CurrentActor } from '../action/current-actor.decorator';
import { BulkActDto, BulkBlockDto } from './admin-links.dto';
import { AdminLinksService } from './admin-links.service';
import { BulkAdminLinksService } from './bulk-admin-links.service';

const ADMIN_ROWS_DESCRIPTION =
  'Changes up to 100 links by ID. The response is always 200. `results` contains a row with the outcome for each link, in request order.';

/** Must be registered before AdminLinksController, whose paths also match these paths. */
@ApiTags('Administration')
@Controller('api/v1/admin/urls/bulk')
export class BulkAdminLinksController {
  constructor(
    private readonly service: BulkAdminLinksService,
    private readonly links: AdminLinksService,
  ) {}

  @Post('block')
  @HttpCode(200)
  @AdminAccess('write')
  @Operation({ id: 'blockLinks', summary: 'Block many links', description: ADMIN_ROWS_DESCRIPTION })
  @ApiOkResponse({ type: BulkResponse, description: 'One row per link' })
  @ApiErrors(400)
  blockMany(
    @Body() { ids, reason }: BulkBlockDto,
    @CurrentActor() actor: AuditActor,
  ): Promise<BulkAnswer<LinkRow>> {
    return this.service.run(ids, (id) => this.links.block(id, reason, actor));
  }

  @Post('unblock')
  @HttpCode(200)
  @AdminAccess('write')
  @Operation({
    id: 'unblockLinks',
    summary: 'Unblock many links',
    description: ADMIN_ROWS_DESCRIPTION,
  })
  @ApiOkResponse({ type: BulkResponse, description: 'One row per link' })
  @ApiErrors(400)
  unblockMany(
    @Body() { ids, reason }: BulkActDto,
    @CurrentActor() actor: AuditActor,
  ): Promise<BulkAnswer<LinkRow>> {
    return this.service.run(ids, (id) => this.links.unblock(id, reason ?? null, actor));
  }

  @Post('delete')
  @HttpCode(200)
  @AdminAccess('write')
  @Operation({
    id: 'deleteAnyLinks',
    summary: 'Delete many links',
    description: ADMIN_ROWS_DESCRIPTION,
  })
  @ApiOkResponse({ type: BulkResponse, description: 'One row per link' })
  @ApiErrors(400)
  removeMany(
    @Body() { ids, reason }: BulkActDto,
    @CurrentActor() actor: AuditActor,
  ): Promise<BulkAnswer<LinkRow>> {
    return this.service.run(ids, (id) => this.links.remove(id, reason ?? null, actor));
  }
}
