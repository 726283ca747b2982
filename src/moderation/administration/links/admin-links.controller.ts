import { Body, Controller, Delete, Get, Post, Query } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import { AdminAccess } from '../../../auth/admin-access.decorator';
import { IdParam, Operation, Returns } from '../../../common/http/route.decorators';
import type { AuditActor } from '../../../audit-trail/audit-entry';
import { CurrentActor } from '../action/current-actor.decorator';
import { OptionalBodyPipe } from '../../../common/http/optional-body.pipe';
import { OptionalReasonDto, ReasonDto } from '../action/reason.dto';
import { AdminLinkPageResponse, AdminLinkResponse } from './admin-link.response';
import { RemovalReasonDto, SearchLinksDto } from './admin-links.dto';
import { AdminLinksService } from './admin-links.service';
import { RemovedLinkResponse } from '../../../links/removal/removed-links.response';

const LINK_REASON_BODY = { type: OptionalReasonDto, required: false };

@ApiTags('Administration')
@Controller('api/v1/admin/urls')
export class AdminLinksController {
  constructor(private readonly service: AdminLinksService) {}

  @Get()
  @AdminAccess('read')
  @Operation({
    id: 'searchLinks',
    summary: 'Find links from all accounts',
    description:
      'Returns a page of all links, newest first. A search that takes longer than 10 s returns 503.',
  })
  @Returns(200, AdminLinkPageResponse, 'A page')
  search(@Query() query: SearchLinksDto) {
    return this.service.search(query);
  }

  @Get(':id')
  @AdminAccess('read')
  @Operation({
    id: 'getAnyLink',
    summary: "Read any account's link",
    description: 'Returns the link with the fields visible to its owner, plus the owner.',
  })
  @Returns(200, AdminLinkResponse, 'The link')
  show(@IdParam("The link's ID") id: string) {
    return this.service.show(id);
  }

  @Post(':id/block')
  @AdminAccess('write')
  @Operation({
    id: 'blockLink',
    summary: 'Block a link',
    description:
      'Visitors get 410 on every machine within a second. The owner sees the block and its reason, and can neither change nor delete the link. If the link is already blocked, the reason is replaced.',
    examples: { phishing: { summary: 'A reason', value: { reason: 'Phishing' } } },
  })
  @Returns(200, AdminLinkResponse, 'The link, BLOCKED')
  block(
    @IdParam("The link's ID") id: string,
    @Body() { reason }: ReasonDto,
    @CurrentActor() actor: AuditActor,
  ) {
    return this.service.block(id, reason, actor);
  }

  @Post(':id/unblock')
  @AdminAccess('write')
  @Operation({
    id: 'unblockLink',
    summary: 'Unblock a link',
    description: "Restores the link's previous status and limits.",
  })
  @ApiBody(LINK_REASON_BODY)
  @Returns(200, AdminLinkResponse, 'The link')
  unblock(
    @IdParam("The link's ID") id: string,
    @Body(new OptionalBodyPipe(OptionalReasonDto)) { reason }: Readonly<OptionalReasonDto>,
    @CurrentActor() actor: AuditActor,
  ) {
    return this.service.unblock(id, reason ?? null, actor);
  }

  @Delete(':id')
  @AdminAccess('write')
  @Operation({
    id: 'deleteAnyLink',
    summary: "Delete any account's link",
    description:
      'Permanently deletes the link with all its clicks; the alias can be reused immediately.',
  })
  @ApiBody(LINK_REASON_BODY)
  @Returns(200, RemovedLinkResponse, 'The link is deleted')
  remove(
    @IdParam("The link's ID") id: string,
    @Query() query: RemovalReasonDto,
    @Body(new OptionalBodyPipe(OptionalReasonDto)) body: Readonly<OptionalReasonDto>,
    @CurrentActor() actor: AuditActor,
  ) {
    return this.service.remove(id, body.reason ?? query.reason ?? null, actor);
  }
}
