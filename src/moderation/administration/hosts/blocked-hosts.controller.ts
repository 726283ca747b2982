import { Body, Controller, Delete, Get, Param, Post, Query, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiParam, ApiTags } from '@nestjs/swagger';
import type express from 'express';
import type { AuditActor } from '../../../audit-trail/audit-entry';
import { AdminAccess } from '../../../auth/admin-access.decorator';
import { ApiErrors, Operation, Returns } from '../../../common/http/route.decorators';
import { CurrentActor } from '../action/current-actor.decorator';
import { BlockHostDto, ListBlockedHostsDto } from './blocked-hosts.dto';
import {
  BlockedHostPageResponse,
  BlockedHostResponse,
  HostResponse,
  UnblockedHostResponse,
} from './blocked-hosts.response';
import { BlockedHostsService } from './blocked-hosts.service';

const HostParam = (): MethodDecorator =>
  ApiParam({
    name: 'host',
    description: 'A host or a URL, of which only the host is used',
    schema: { type: 'string', example: 'evil.example' },
  });

@ApiTags('Administration')
@Controller('api/v1/admin')
export class BlockedHostsController {
  constructor(private readonly service: BlockedHostsService) {}

  @Get('blocked-hosts')
  @AdminAccess('read')
  @Operation({
    id: 'listBlockedHosts',
    summary: 'List hosts blocked by admins',
    description: 'Returns a page of the hosts, newest first.',
  })
  @Returns(200, BlockedHostPageResponse, 'A page')
  list(@Query() query: ListBlockedHostsDto) {
    return this.service.list(query);
  }

  @Post('blocked-hosts')
  @AdminAccess('write')
  @Operation({
    id: 'blockHost',
    summary: 'Block a host',
    description:
      'Blocks the host and its subdomains: as new destinations within a second, in existing links within a minute. If the host is already blocked, the reason is replaced.',
    examples: {
      phishing: { summary: 'A host', value: { host: 'evil.example', reason: 'Phishing' } },
    },
  })
  @ApiCreatedResponse({ type: BlockedHostResponse, description: 'The host is blocked' })
  @ApiOkResponse({ type: BlockedHostResponse, description: 'The host was already blocked' })
  @ApiErrors(400)
  async block(
    @Body() body: BlockHostDto,
    @CurrentActor() actor: AuditActor,
    @Res({ passthrough: true }) response: express.Response,
  ): Promise<BlockedHostResponse> {
    const { isNew, entry } = await this.service.block(body, actor);
    response.status(isNew ? 201 : 200);
    return entry;
  }

  @Delete('blocked-hosts/:host')
  @AdminAccess('write')
  @Operation({
    id: 'unblockHost',
    summary: 'Unblock a host',
    description: 'Within a minute, unblocks the links that only this entry had blocked.',
  })
  @HostParam()
  @Returns(200, UnblockedHostResponse, 'The host is no longer blocked')
  unblock(@Param('host') host: string, @CurrentActor() actor: AuditActor) {
    return this.service.unblock(host, actor);
  }

  @Get('hosts/:host')
  @AdminAccess('read')
  @Operation({
    id: 'getHost',
    summary: 'Count the links to a host',
    description:
      'Returns how many links lead to the host or below it, how many accounts own them, and whether the host is blocked.',
  })
  @HostParam()
  @Returns(200, HostResponse, 'The host', 400)
  show(@Param('host') host: string) {
    return this.service.show(host);
  }
}
