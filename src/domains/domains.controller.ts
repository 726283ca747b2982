import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiTags } from '@nestjs/swagger';
import { Access, CurrentPrincipal, type Principal } from '../auth/access';
import { RateLimit } from '../auth/rate-limit/rate-limits';
import { ApiErrors, IdParam, Operation, Returns } from '../common/http/route.decorators';
import { Attempt } from '../idempotency/attempt';
import { CurrentAttempt, Retryable } from '../idempotency/retryable.decorator';
import {
  CreateDomainDto,
  ListDomainsDto,
  RemoveDomainDto,
  toDomainChange,
  UpdateDomainDto,
} from './domain.dto';
import {
  DomainPageResponse,
  DomainResponse,
  RemovedDomainResponse,
  SharedDomainPageResponse,
} from './domain.response';
import { DomainsService } from './domains.service';

const DOMAIN_ID_TEXT = "The domain's ID";

@ApiTags('Custom domains')
@Controller('api/v1/custom-domains')
@Access('domains:manage')
export class DomainsController {
  constructor(private readonly service: DomainsService) {}

  @Post()
  @Retryable()
  @RateLimit('domains.create')
  @Operation({
    id: 'createDomain',
    summary: 'Add a custom domain',
    description:
      'Adds a domain, which stays `pending` until the TXT record in the response proves ownership. An account can have up to 20 domains that have not been revoked. Adding a revoked domain again restores its links.',
    examples: { domain: { summary: 'A domain', value: { fqdn: 'links.example.com' } } },
  })
  @Returns(201, DomainResponse, 'The domain, pending', 400, 409)
  create(
    @Body() { fqdn }: CreateDomainDto,
    @CurrentPrincipal() caller: Principal,
    @CurrentAttempt() attempt: Attempt,
  ) {
    return this.service.create(fqdn, caller, attempt.chosenId());
  }

  @Get()
  @Access('domains:read')
  @RateLimit('domains.list')
  @Operation({
    id: 'listDomains',
    summary: 'List your custom domains',
    description: 'Returns a page of the domains, newest first, including revoked domains.',
  })
  @Returns(200, DomainPageResponse, 'A page of domains')
  list(@Query() query: ListDomainsDto, @CurrentPrincipal() caller: Principal) {
    return this.service.list(query, caller);
  }

  @Get('shared')
  @Access('domains:read', 'shorten:create')
  @RateLimit('domains.shared')
  @Operation({
    id: 'listSharedDomains',
    summary: 'List shared domains',
    description:
      "Returns a page of other accounts' domains, sorted by name. While such a domain is active, all accounts may create links on it.",
  })
  @Returns(200, SharedDomainPageResponse, 'A page of domains')
  listShared(@Query() query: ListDomainsDto, @CurrentPrincipal() caller: Principal) {
    return this.service.listShared(query, caller);
  }

  @Get(':id')
  @Access('domains:read')
  @RateLimit('domains.read')
  @Operation({
    id: 'getDomain',
    summary: 'Read a custom domain',
    description: 'Returns the domain and its required DNS records.',
  })
  @Returns(200, DomainResponse, 'The domain', 400, 404)
  show(@IdParam(DOMAIN_ID_TEXT) id: string, @CurrentPrincipal() caller: Principal) {
    return this.service.show(id, caller);
  }

  @Post(':id/verify')
  @RateLimit('domains.verify')
  @Operation({
    id: 'verifyDomain',
    summary: 'Check a custom domain now',
    description:
      "Queries the TXT record. A failed check also returns 200; `last_verification_error` contains the cause. If the current holder's record is missing, another account that proves ownership takes over the name.",
  })
  @Returns(200, DomainResponse, 'The domain after the check', 400, 404, 409)
  verify(@IdParam(DOMAIN_ID_TEXT) id: string, @CurrentPrincipal() caller: Principal) {
    return this.service.verify(id, caller);
  }

  @Patch(':id')
  @RateLimit('domains.update')
  @Operation({
    id: 'updateDomain',
    summary: 'Change an active custom domain',
    description: 'Changes only the settings in the body; `null` removes a setting.',
    examples: {
      root: {
        summary: 'Redirect of the root path',
        value: { root_redirect: 'https://example.com/' },
      },
    },
  })
  @Returns(200, DomainResponse, 'The changed domain', 400, 404)
  update(
    @IdParam(DOMAIN_ID_TEXT) id: string,
    @Body() body: UpdateDomainDto,
    @CurrentPrincipal() caller: Principal,
  ) {
    return this.service.update(id, toDomainChange(body), caller);
  }

  @Delete(':id')
  @RateLimit('domains.delete')
  @Operation({
    id: 'deleteDomain',
    summary: 'Remove a custom domain',
    description:
      'Removes a domain that was never active. Any other domain becomes `revoked`: its links keep their history but stop working on the domain. With `cascade=true`, up to 1000 of your links are deleted first. A shared domain returns 409.',
  })
  @Returns(200, RemovedDomainResponse, 'The domain is removed or revoked', 400, 404, 409)
  remove(
    @IdParam(DOMAIN_ID_TEXT) id: string,
    @Query() { cascade }: RemoveDomainDto,
    @CurrentPrincipal() caller: Principal,
  ) {
    return this.service.remove(id, cascade, caller);
  }

  @Delete(':id/permanent')
  @HttpCode(204)
  @RateLimit('domains.remove')
  @Operation({
    id: 'removeDomain',
    summary: 'Permanently remove a revoked custom domain',
    description: 'Deletes a revoked domain and its settings. The domain must not have any links.',
  })
  @ApiNoContentResponse({ description: 'The domain is deleted' })
  @ApiErrors(400, 404, 409)
  removeForGood(
    @IdParam(DOMAIN_ID_TEXT) id: string,
    @CurrentPrincipal() caller: Principal,
  ): Promise<void> {
    return this.service.removeForGood(id, caller);
  }
}
