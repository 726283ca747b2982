import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentClient, CurrentPrincipal, type Principal } from '../../auth/access';
import { AlsoLimited, RateLimit } from '../../auth/rate-limit/rate-limits';
import { Operation, Returns } from '../../common/http/route.decorators';
import { TakesLargeJson } from '../../common/http/taken-body';
import { Attempt } from '../../idempotency/attempt';
import { CurrentAttempt, Retryable } from '../../idempotency/retryable.decorator';
import { Client } from '../../infrastructure/client-address/client-address';
import { BulkChangesService } from './bulk-changes.service';
import { BulkCreationService } from './bulk-creation.service';
import {
  BulkCreateDto,
  BulkDeleteDto,
  BulkDomainDto,
  BulkExpiryDto,
  BulkStatusDto,
  BulkUpdateDto,
} from './bulk.dto';
import { BulkCreateResponse, BulkResponse, BulkUpdateResponse } from './bulk.response';

const ROWS_DESCRIPTION =
  'The response is always 200. `results` contains a row with the outcome for each link, in request order.';
const EXAMPLE_IDS = { ids: ['665f1c0e8b3a4d0012ab34cd', '665f1c0e8b3a4d0012ab34ce'] };

@ApiTags('Links')
@Controller('api/v1/urls/bulk')
@Access('urls:manage')
export class BulkController {
  constructor(
    private readonly creation: BulkCreationService,
    private readonly changes: BulkChangesService,
  ) {}

  @Post('create')
  @Access('shorten:create')
  @RateLimit('links.bulk-create')
  @AlsoLimited({ 'links.create-items': 'the links in these requests' })
  @TakesLargeJson()
  @Retryable({ items: (body: BulkCreateDto) => body.links.length })
  @Operation({
    id: 'createLinks',
    summary: 'Shorten many addresses',
    description: `Creates up to 100 links, each as in POST /api/v1/shorten. ${ROWS_DESCRIPTION}`,
    examples: {
      two: {
        summary: 'Two links, one of them with an alias',
        value: {
          links: [
            { long_url: 'https://example.com/spring/sale' },
            { long_url: 'https://example.com/summer/sale', alias: 'summer-sale' },
          ],
        },
      },
    },
  })
  @Returns(200, BulkCreateResponse, 'One row per item')
  create(
    @Body() body: BulkCreateDto,
    @CurrentPrincipal() caller: Principal,
    @CurrentClient() client: Client,
    @CurrentAttempt() attempt: Attempt,
  ) {
    return this.creation.create(body.links, caller, client, attempt);
  }

  @Post('update')
  @RateLimit('links.bulk')
  @TakesLargeJson()
  @Retryable()
  @Operation({
    id: 'updateLinks',
    summary: 'Change many links',
    description: `Changes up to 100 links by ID, or up to 1000 links that match a filter. ${ROWS_DESCRIPTION}`,
    examples: {
      ids: {
        summary: 'Set the click limit of two links',
        value: { ...EXAMPLE_IDS, set: { max_clicks: 500 } },
      },
      filter: {
        summary: 'Block bots on all 12 active links',
        value: { filter: { status: 'ACTIVE' }, expected: 12, set: { block_bots: true } },
      },
    },
  })
  @Returns(200, BulkUpdateResponse, 'One row per link', 400, 409)
  update(
    @Body() body: BulkUpdateDto,
    @CurrentPrincipal() caller: Principal,
    @CurrentClient() client: Client,
    @CurrentAttempt() attempt: Attempt,
  ) {
    return this.changes.update(body, caller, client, attempt);
  }

  @Post('status')
  @RateLimit('links.bulk')
  @TakesLargeJson()
  @Retryable()
  @Operation({
    id: 'setLinkStatuses',
    summary: 'Pause or resume many links',
    description: `Sets the status of up to 100 links. ${ROWS_DESCRIPTION}`,
    examples: {
      pause: { summary: 'Pause two links', value: { ...EXAMPLE_IDS, status: 'INACTIVE' } },
    },
  })
  @Returns(200, BulkResponse, 'One row per id', 400)
  setStatus(
    @Body() body: BulkStatusDto,
    @CurrentPrincipal() caller: Principal,
    @CurrentAttempt() attempt: Attempt,
  ) {
    return this.changes.setStatus(body, caller, attempt);
  }

  @Post('expiry')
  @RateLimit('links.bulk')
  @TakesLargeJson()
  @Retryable()
  @Operation({
    id: 'setLinkExpiries',
    summary: 'Set the expiry of many links',
    description: `Sets the expiry of up to 100 links, or removes it with \`null\`. ${ROWS_DESCRIPTION}`,
    examples: {
      none: {
        summary: 'Remove the expiry of two links',
        value: { ...EXAMPLE_IDS, expire_after: null },
      },
    },
  })
  @Returns(200, BulkResponse, 'One row per id', 400)
  setExpiry(
    @Body() body: BulkExpiryDto,
    @CurrentPrincipal() caller: Principal,
    @CurrentClient() client: Client,
    @CurrentAttempt() attempt: Attempt,
  ) {
    return this.changes.setExpiry(body, caller, client, attempt);
  }

  @Post('domain')
  @RateLimit('links.move')
  @TakesLargeJson()
  @Retryable()
  @Operation({
    id: 'moveLinks',
    summary: 'Move many links to a domain',
    description: `Moves up to 100 links and their history to a custom domain, or back to this service's own host with \`null\`. The alias must be free on the new domain. ${ROWS_DESCRIPTION}`,
    examples: {
      move: { summary: 'Move two links', value: { ...EXAMPLE_IDS, domain: 'links.example.org' } },
    },
  })
  @Returns(200, BulkResponse, 'One row per id', 400)
  move(
    @Body() body: BulkDomainDto,
    @CurrentPrincipal() caller: Principal,
    @CurrentClient() client: Client,
    @CurrentAttempt() attempt: Attempt,
  ) {
    return this.changes.move(body, caller, client, attempt);
  }

  @Post('delete')
  @RateLimit('links.bulk-delete')
  @TakesLargeJson()
  @Retryable()
  @Operation({
    id: 'deleteLinks',
    summary: 'Delete many links',
    description: `Permanently deletes up to 100 links by ID, or up to 1000 links that match a filter, with all their clicks. ${ROWS_DESCRIPTION}`,
    examples: {
      ids: { summary: 'Delete two links', value: EXAMPLE_IDS },
      filter: {
        summary: 'Delete all 12 inactive links',
        value: { filter: { status: 'INACTIVE' }, expected: 12 },
      },
    },
  })
  @Returns(200, BulkResponse, 'One row per link', 400, 409)
  remove(
    @Body() body: BulkDeleteDto,
    @CurrentPrincipal() caller: Principal,
    @CurrentAttempt() attempt: Attempt,
  ) {
    return this.changes.remove(body, caller, attempt);
  }

  @Post('delete-clicks')
  @RateLimit('links.bulk-delete')
  @TakesLargeJson()
  @Retryable()
  @Operation({
    id: 'deleteClicksOfLinks',
    summary: 'Delete the clicks of many links',
    description: `Permanently deletes all clicks of up to 100 links by ID, or of up to 1000 links that match a filter. ${ROWS_DESCRIPTION}`,
    examples: {
      ids: { summary: 'Delete the clicks of two links', value: EXAMPLE_IDS },
      filter: {
        summary: 'Delete the clicks of all 12 inactive links',
        value: { filter: { status: 'INACTIVE' }, expected: 12 },
      },
    },
  })
  @Returns(200, BulkResponse, 'One row per link', 400, 409)
  deleteClicks(
    @Body() body: BulkDeleteDto,
    @CurrentPrincipal() caller: Principal,
    @CurrentAttempt() attempt: Attempt,
  ) {
    return this.changes.deleteClicks(body, caller, attempt);
  }
}
