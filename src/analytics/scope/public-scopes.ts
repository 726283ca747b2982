import { Injectable } from '@nestjs/common';
import type { Caller } from '../../auth/caller';
import { UnknownLinkError } from '../../stores/links/link.errors';
import type { Link } from '../../stores/links/link';
import { LinkAddresses } from '../../stores/domains/link-addresses';
import { LinkReads } from '../../stores/links/link-reads.repository';
import {
  LinkPasswordVerifier,
  type PresentedPassword,
} from '../../redirect/link-password/link-password.verifier';
import type { PeriodDto } from '../query/statistics.dto';
import { readPeriod } from '../query/period';
import { publicParameters, toRequestKey } from '../query/statistics-parameters';
import type { StatisticsClient } from '../engine/statistics-engine';
import { type StatisticsScope, toLinkName } from './statistics-scope';

export interface PublicRequest {
  code: string;
  /** The link's domain; by default the host of BASE_URL. */
  domain?: string;
  period: PeriodDto;
  caller: Caller;
  client: StatisticsClient;
  presented: PresentedPassword;
}

@Injectable()
export class PublicScopes {
  constructor(
    private readonly links: LinkReads,
    private readonly passwords: LinkPasswordVerifier,
    private readonly addresses: LinkAddresses,
  ) {}

  /** Throws the same 404 for unknown and private links. Owners do not need a password for their links. */
  async find(
    request: PublicRequest,
  ): Promise<{ scope: StatisticsScope; link: Link; isOwner: boolean }> {
    const key = this.addresses.keyAt(request.domain ?? null, request.code);
    const link = key === null ? null : await this.links.findVisited(key);
    const isOwner = link?.ownerId != null && link.ownerId === request.caller.ownerId;
    if (link === null || (link.privateStats && !isOwner)) throw new UnknownLinkError('statistics');
    if (link.passwordHash !== null && !isOwner)
      await this.passwords.verify(link, request.presented);
    const label = this.addresses.statisticsLabel(link.alias);
    const parameters = publicParameters(request.period);
    const scope: StatisticsScope = {
      name: 'anon',
      source: { links: [toLinkName(link, label)] },
      parameters,
      period: readPeriod(request.period, Date.now()),
      shortCode: label,
      link: null,
      requestKey: toRequestKey('link', request.period, parameters),
      clicks: link.totalClicks,
      isPublic: !link.privateStats,
    };
    return { scope, link, isOwner };
  }
}
