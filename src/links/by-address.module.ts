import { Controller, Get, Module, NotFoundException, Param } from '@nestjs/common';
import { ApiOkResponse, ApiParam, ApiTags } from '@nestjs/swagger';
import { Access, CurrentPrincipal, type Principal } from '../auth/access';
import { RateLimit } from '../auth/rate-limit/rate-limits';
import { ApiErrors, Operation } from '../common/http/route.decorators';
import { SHORT_CODE } from '../common/openapi/properties';
import { hostName } from '../common/host';
import { HttpOptions } from '../config/options';
import { DomainRegistry } from '../stores/domains/domain-registry';
import { DomainStoreModule } from '../stores/domains/domain-store.module';
import { keyOfCode } from '../stores/links/alias-form';
import { UnknownLinkError } from '../stores/links/link.errors';
import { LinkItemResponse } from './making/link.response';
import { LinksModule } from './links.module';
import { ListingService } from './listing/listing.service';

/** For clients that have only the short URL of a link (docs/contract.md#31.4). */
@ApiTags('Links')
@Controller('api/v1/urls/:domain/:alias')
@Access('urls:read')
export class ByAddressController {
  constructor(
    private readonly listing: ListingService,
    private readonly domains: DomainRegistry,
    private readonly http: HttpOptions,
  ) {}

  @Get()
  @RateLimit('links.by-address')
  @Operation({
    id: 'getLinkByAddress',
    summary: 'Read a link by its short URL',
    description: 'Returns one of your links, in any status, with the same fields as in the list.',
  })
  @ApiParam({
    name: 'domain',
    description: "The short URL's host, with or without its port",
    schema: { type: 'string', example: 'go.example.com' },
  })
  @ApiParam({
    name: 'alias',
    description: "The link's short code",
    schema: { type: 'string', example: SHORT_CODE.example },
  })
  @ApiOkResponse({ type: LinkItemResponse, description: 'The link' })
  @ApiErrors(404)
  show(
    @Param('domain') domain: string,
    @Param('alias') code: string,
    @CurrentPrincipal() caller: Principal,
  ): Promise<LinkItemResponse> {
    const domainIds = this.findDomainIds(domain.toLowerCase(), caller.ownerId);
    const keys = domainIds.flatMap((id) => keyOfCode(id, code) ?? []);
    if (keys.length === 0) {
      throw new NotFoundException(undefined, { cause: new UnknownLinkError('address') });
    }
    return this.listing.showByKeys(keys, caller);
  }

  /**
   * Null means the host of BASE_URL. The list is empty for a host on which the account cannot have
   * links.
   */
  private findDomainIds(domain: string, ownerId: string): readonly (string | null)[] {
    const { host, hostname } = new URL(this.http.baseUrl);
    if (domain === host || domain === hostname) return [null];
    const used = this.domains.usedBy(ownerId);
    return used.filter(({ fqdn }) => fqdn === hostName(domain)).map(({ id }) => id);
  }
}

/**
 * Imported last, because its path also matches routes with an id, and Express uses the first match.
 */
@Module({ imports: [DomainStoreModule, LinksModule], controllers: [ByAddressController] })
export class ByAddressModule {}
