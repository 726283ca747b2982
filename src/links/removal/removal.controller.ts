import { Controller, Delete, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentPrincipal, type Principal } from '../../auth/access';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { IdParam, Operation, Returns } from '../../common/http/route.decorators';
import { RemovalService } from './removal.service';
import {
  LinksOfDomainDto,
  RemovedLinksResponse,
  RemovedLinkResponse,
} from './removed-links.response';

@ApiTags('Links')
@Controller('api/v1/urls')
export class RemovalController {
  constructor(private readonly service: RemovalService) {}

  @Delete()
  @Access('urls:manage')
  @RateLimit('links.delete-all')
  @Operation({
    id: 'deleteLinksOfDomain',
    summary: "Delete a domain's links",
    description:
      'Permanently deletes your links on a custom domain, with all their clicks, up to 1,000 per call. Repeat the call until `remaining` is 0.',
  })
  @Returns(200, RemovedLinksResponse, 'The links are deleted', 404)
  removeOfDomain(@Query() { domain }: LinksOfDomainDto, @CurrentPrincipal() caller: Principal) {
    return this.service.removeOfDomain(domain, caller);
  }

  @Delete(':url_id')
  @Access('urls:manage')
  @RateLimit('links.delete')
  @Operation({
    id: 'deleteLink',
    summary: 'Delete a link',
    description:
      'Permanently deletes the link with all its clicks. The alias can be reused immediately; a new link with it starts at zero clicks.',
  })
  @Returns(200, RemovedLinkResponse, 'The link is deleted', 403, 404)
  remove(@IdParam("The link's ID", 'url_id') urlId: string, @CurrentPrincipal() caller: Principal) {
    return this.service.remove(urlId, caller);
  }
}
