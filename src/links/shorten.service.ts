import { Injectable } from '@nestjs/common';
import { Caller } from '../auth/caller';
import { HttpOptions } from '../config/options';
import type { Client } from '../infrastructure/client-address/client';
import { AuthenticationError } from '../common/errors';
import { aliasObjection, cutAlias } from './alias';
import { CreateLinkDto } from './link.dto';
import { CreatedLinkResponse, toCreatedLink } from './link.response';
import type { CreateLink } from './link';
import { LinkCreation } from './link-creation';
import { LinksRepository } from './links.repository';
import { AliasAvailabilityResponse } from './alias-availability';

/** POST /api/v1/shorten and its alias check (docs/contract.md#5). */
@Injectable()
export class ShortenService {
  constructor(
    private readonly creation: LinkCreation,
    private readonly lookup: LinksRepository,
    private readonly http: HttpOptions,
  ) {}

  async shorten(body: CreateLinkDto, caller: Caller, client: Client): Promise<CreatedLinkResponse> {
    const alias = body.alias ?? null;
    if (caller.userId === null && body.private_stats === true) {
      throw new AuthenticationError('private_stats needs an account: sign in or use an API key');
    }
    const input: CreateLink = {
      longUrl: body.long_url ?? body.url ?? '',
      alias: alias === null ? null : cutAlias(alias),
      password: body.password ?? null,
      maxClicks: body.max_clicks ?? null,
      expireAfter: body.expire_after ?? null,
      blockBots: body.block_bots ?? false,
      privateStats: body.private_stats ?? caller.userId !== null,
      ownerId: caller.userId,
      generation: 'v2',
    };
    const link = await this.creation.create(input, client);
    return toCreatedLink(link, this.http.baseUrl);
  }

  async checkAlias(alias: string): Promise<AliasAvailabilityResponse> {
    const objection = aliasObjection(alias);
    if (objection !== null) return { available: false, reason: objection };
    const taken = (await this.lookup.findByAlias(alias)) !== null;
    return { available: !taken, reason: taken ? 'taken' : null };
  }
}
