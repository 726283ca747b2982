import { Body, Controller, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import {
  Access,
  Caller,
  CurrentCaller,
  CurrentClient,
  CurrentPrincipal,
  type Principal,
} from '../auth/access';
import { RateLimit } from '../auth/rate-limit/rate-limits';
import { ApiErrors, IdParam, Operation, Returns } from '../common/http/route.decorators';
import { LinkAddresses } from '../stores/domains/link-addresses';
import { Attempt } from '../idempotency/attempt';
import { StatusAnswer } from '../idempotency/retryable';
import { CurrentAttempt, Retryable } from '../idempotency/retryable.decorator';
import { Client } from '../infrastructure/client-address/client-address';
import type { Link } from '../stores/links/link';
import { AccountTags } from '../stores/tags/account-tags';
import { toClaimToken } from './claim/claim-token';
import {
  aliasSource,
  CheckAliasDto,
  CreateLinkDto,
  toCreateLink,
  toLinkUpdate,
  UpdateLinkDto,
  UpdateStatusDto,
} from './making/link.dto';
import {
  AliasAvailabilityResponse,
  CreatedLinkResponse,
  toCreatedLink,
  toUpdatedLink,
  UpdatedLinkResponse,
} from './making/link.response';
import { LinksService } from './making/links.service';

@ApiTags('Links')
@Controller('api/v1/shorten')
@Access.optional('shorten:create')
export class ShortenController {
  constructor(
    private readonly links: LinksService,
    private readonly tags: AccountTags,
    private readonly addresses: LinkAddresses,
  ) {}

  @Post()
  @RateLimit('links.create')
  @Retryable({ secretField: 'claim_token' })
  @Operation({
    id: 'createLink',
    summary: 'Shorten an address',
    description:
      'Creates a short link. With a credential, the link belongs to the account. Without a credential, it has no owner and can be changed only after an account has claimed it with its `claim_token`.',
    examples: {
      shortest: {
        summary: 'Only a destination',
        value: { long_url: 'https://example.com/spring/sale' },
      },
      all: {
        summary: 'A link with all settings',
        value: {
          long_url: 'https://example.com/spring/sale?from=mail',
          alias: 'spring-sale',
          password: 'tulips@2030',
          max_clicks: 1000,
          expire_after: '2030-06-01T00:00:00+02:00',
          block_bots: true,
          private_stats: false,
          title: 'Spring sale',
          note: 'Ordered by the Paris office',
          tags: ['Newsletter', 'Spring sale'],
        },
      },
    },
  })
  @ApiCreatedResponse({ type: CreatedLinkResponse, description: 'The new link' })
  @ApiOkResponse({
    type: CreatedLinkResponse,
    description: 'With `reuse`: the existing link',
  })
  @ApiErrors(409)
  async shorten(
    @Body() body: CreateLinkDto,
    @CurrentCaller() caller: Caller,
    @CurrentClient() client: Client,
    @CurrentAttempt() attempt: Attempt,
  ): Promise<CreatedLinkResponse | StatusAnswer<CreatedLinkResponse>> {
    const claim = caller.ownerId === null ? toClaimToken(attempt.secret()) : null;
    const input = { ...toCreateLink(body, caller.ownerId), claimHash: claim?.hash };
    const { link, isReused } = await this.links.createOrReuse(input, client, {
      aliases: aliasSource(body),
      chosen: attempt.chosenId(),
    });
    const tags = await this.tags.findTags(link.ownerId);
    const more = isReused ? ({ reused: true } as const) : { claim_token: claim?.token };
    const answer = toCreatedLink(link, tags, this.addresses, body.alias, more);
    return isReused ? new StatusAnswer(200, answer) : answer;
  }

  @Get('check-alias')
  @RateLimit('links.check-alias')
  @Operation({
    id: 'checkAlias',
    summary: 'Check whether an alias is free',
    description: 'Returns whether a new link can use this alias and, if not, why.',
  })
  @Returns(200, AliasAvailabilityResponse, 'Whether the alias is free now')
  checkAlias(@Query() query: CheckAliasDto, @CurrentCaller() caller: Caller) {
    return this.links.checkAlias(query.alias, query.domain, caller.ownerId);
  }
}

@ApiTags('Links')
@Controller('api/v1/urls/:url_id')
@Access('urls:manage')
export class LinksController {
  constructor(
    private readonly links: LinksService,
    private readonly tags: AccountTags,
    private readonly addresses: LinkAddresses,
  ) {}

  @Patch()
  @RateLimit('links.update')
  @Operation({
    id: 'updateLink',
    summary: 'Change a link',
    description:
      "Changes only the fields in the body. `null` removes `password`, `max_clicks`, `expire_after`, `starts_at`, `pre_start_url`, `expired_redirect_url`, `rules`, `geo_rules`, `ab_variants`, `title`, `note` and `tags`, and in `domain`, moves the link to this service's own host. If a link has reached its click limit, raising the limit makes the link active again.",
    examples: {
      limit: {
        summary: 'New destination, more clicks, no expiry',
        value: {
          long_url: 'https://example.com/summer/sale',
          max_clicks: 5000,
          expire_after: null,
        },
      },
    },
  })
  @ApiOkResponse({ type: UpdatedLinkResponse, description: 'The changed link' })
  @ApiErrors(403, 404, 409)
  async update(
    @IdParam("The link's ID", 'url_id') urlId: string,
    @Body() body: UpdateLinkDto,
    @CurrentPrincipal() caller: Principal,
    @CurrentClient() client: Client,
  ): Promise<UpdatedLinkResponse> {
    const update = toLinkUpdate(body);
    const link = await this.links.update(urlId, update, caller, client);
    return this.answer(link, update.status !== undefined, body.alias);
  }

  @Patch('status')
  @RateLimit('links.status')
  @Operation({
    id: 'setLinkStatus',
    summary: 'Pause or resume a link',
    description:
      'Visitors to an inactive link get 410. A link that has expired or reached its click limit stays closed, even if active, until you change the expiry or limit.',
    examples: { pause: { summary: 'Pause the link', value: { status: 'INACTIVE' } } },
  })
  @ApiOkResponse({ type: UpdatedLinkResponse, description: 'The link, with the requested status' })
  @ApiErrors(403, 404)
  async setStatus(
    @IdParam("The link's ID", 'url_id') urlId: string,
    @Body() body: UpdateStatusDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<UpdatedLinkResponse> {
    return this.answer(await this.links.setStatus(urlId, body.status, caller), true);
  }

  private async answer(
    link: Link,
    keepsStatus: boolean,
    requestedAlias?: string | null,
  ): Promise<UpdatedLinkResponse> {
    const tags = await this.tags.findTags(link.ownerId);
    return toUpdatedLink(link, tags, this.addresses, { keepsStatus, requestedAlias });
  }
}
