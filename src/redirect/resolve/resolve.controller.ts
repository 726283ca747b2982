import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentClient, CurrentPrincipal, type Principal } from '../../auth/access';
import { RateLimit } from '../../auth/rate-limit/rate-limits';
import { USER_AGENT_LENGTH } from '../../clicks/click-event';
import { BadRequestError } from '../../common/errors';
import { IdParam, Operation, Returns } from '../../common/http/route.decorators';
import { parseTime } from '../../common/time';
import { countryCode } from '../../destinations/countries';
import type { Visiting } from '../../destinations/destination-chooser';
import { Client } from '../../infrastructure/client-address/client-address';
import { isExpired, isScheduled, isUsedUp, type Link } from '../../stores/links/link';
import { toLocation } from '../../destinations/location';
import { withinField } from '../../links/bulk/bulk.errors';
import { toLinkUpdate } from '../../links/making/link.dto';
import { LinksService } from '../../links/making/links.service';
import { VisitDestination } from '../visit-destination';
import { ResolveDto } from './resolve.dto';
import { ResolvedResponse } from './resolve.response';

/** Shows where a visitor would be sent. Records nothing (docs/contract.md#26.7). */
@ApiTags('Links')
@Controller('api/v1/urls/:url_id/resolve')
@Access('urls:read')
export class ResolveController {
  constructor(
    private readonly links: LinksService,
    private readonly destination: VisitDestination,
  ) {}

  @Post()
  @RateLimit('links.resolve')
  @Operation({
    id: 'tryLink',
    summary: 'Test where a link leads',
    description:
      'Returns the destination for a given visitor and the rule that selected it. No click is recorded, and passwords and bot rules are ignored.',
    examples: {
      phone: {
        summary: 'A phone in Germany',
        value: { country: 'DE', language: 'de', user_agent: 'Mozilla/5.0 (iPhone; …)' },
      },
    },
  })
  @Returns(200, ResolvedResponse, "The visitor's destination", 400, 403, 404)
  async resolve(
    @IdParam("The link's ID", 'url_id') urlId: string,
    @Body() body: ResolveDto,
    @CurrentPrincipal() caller: Principal,
    @CurrentClient() client: Client,
  ) {
    const saved = await this.links.ownLink(urlId, caller);
    const { draft } = body;
    const link = draft
      ? await withinField('draft', () => this.links.preview(saved, toLinkUpdate(draft), client))
      : saved;
    const visiting = toVisiting(body, Date.now());
    const closed = whileClosed(link, visiting.at);
    if (closed !== null) return closed;
    await this.destination.preparation(link);
    const { by, key, location } = this.destination.find(link, visiting);
    return { by, key, location };
  }
}

function toVisiting(body: ResolveDto, now: number): Visiting {
  const { at, country } = body;
  const time = at === null || at === undefined ? now : parseTime(at);
  if (time === null) throw new BadRequestError('at is not a valid time', 'at');
  const code = country ? countryCode(country) : null;
  if (country && code === null) {
    throw new BadRequestError('country is not an ISO 3166-1 alpha-2 code', 'country');
  }
  return {
    at: time,
    address: body.visitor ?? '',
    country: code,
    userAgent: (body.user_agent ?? '').slice(0, USER_AGENT_LENGTH),
    language: body.language ?? '',
    query: body.query ?? '',
  };
}

function whileClosed(link: Link, at: number): ResolvedResponse | null {
  const to = (by: 'expired' | 'scheduled', url: string | null): ResolvedResponse => ({
    by,
    key: null,
    location: url === null ? null : toLocation(url),
  });
  const isOff = link.status !== 'ACTIVE';
  if (link.blocked !== null || (isOff && !link.closedByLimit))
    return { by: 'closed', key: null, location: null };
  if (isOff || isUsedUp(link) || isExpired(link, at)) return to('expired', link.expiredRedirectUrl);
  return isScheduled(link, at) ? to('scheduled', link.preStartUrl) : null;
}
