import { Body, Controller, Get, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { AuditActor } from '../../../audit-trail/audit-entry';
import { AdminAccess } from '../../../auth/admin-access.decorator';
import { IdParam, Operation, Returns } from '../../../common/http/route.decorators';
import { CurrentActor } from '../action/current-actor.decorator';
import { AdminDomainPageResponse, AdminDomainResponse } from './admin-domain.response';
import { ListAllDomainsDto, ShareDomainDto } from './admin-domains.dto';
import { AdminDomainsService } from './admin-domains.service';

@ApiTags('Administration')
@Controller('api/v1/admin/domains')
export class AdminDomainsController {
  constructor(private readonly service: AdminDomainsService) {}

  @Get()
  @AdminAccess('read')
  @Operation({
    id: 'listAllDomains',
    summary: "List all accounts' custom domains",
    description: 'Returns a page of the domains, newest first, including revoked domains.',
  })
  @Returns(200, AdminDomainPageResponse, 'A page')
  list(@Query() query: ListAllDomainsDto) {
    return this.service.list(query);
  }

  @Put(':id/shared')
  @AdminAccess('write')
  @Operation({
    id: 'shareDomain',
    summary: 'Share a domain, or stop sharing it',
    description:
      'Lets every account create links on an active domain that belongs to an admin. At most 100 domains can be shared. When sharing stops, existing links stay and continue to work.',
    examples: { share: { summary: 'Share the domain', value: { shared: true } } },
  })
  @Returns(200, AdminDomainResponse, 'The domain after the request', 400)
  share(
    @IdParam("The domain's ID") id: string,
    @Body() { shared, reason = null }: ShareDomainDto,
    @CurrentActor() actor: AuditActor,
  ) {
    return this.service.share(id, shared, reason, actor);
  }
}
