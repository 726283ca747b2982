import { Injectable } from '@nestjs/common';
import type { Caller } from '../../auth/caller';
import type { Link } from '../../links/link';
import { LinksRepository } from '../../links/links.repository';
import {
  LinkPasswordVerifier,
  type PresentedPassword,
} from '../../redirect/link-password/link-password.verifier';
import type { PeriodDto } from '../query/statistics.dto';
import { readPeriod } from '../query/period';
import { publicQuery, wordsOf } from '../query/statistics-query';
import type { StatisticsClient } from '../engine/question-queue';
import { shortCode } from './statistics-scope';
import type { StatisticsScope } from './statistics-scope';
import { LinkUnknownError } from './statistics-scope';

/** A request for public statistics (docs/contract.md#9.4). */
export interface PublicRequest {
  code: string;
  period: PeriodDto;
  caller: Caller;
  asker: StatisticsClient;
  /** What the body of a POST presents as the password of the link. */
  presented: PresentedPassword;
}

export interface PublicScope {
  subject: StatisticsScope;
  link: Link;
  isOwner: boolean;
}

/** Decides whose public statistics are asked for, and whether they are public to the caller. */
@Injectable()
export class PublicScopes {
  constructor(
    private readonly links: LinksRepository,
    private readonly passwords: LinkPasswordVerifier,
  ) {}

  /** Unknown and private are the same 404; the owner passes privacy and password. */
  async find(asked: PublicRequest): Promise<PublicScope> {
    const link = await this.links.findByAlias(shortCode(asked.code));
    const isOwner = link?.ownerId != null && link.ownerId === asked.caller.userId;
    if (link === null || (link.privateStats && !isOwner)) throw new LinkUnknownError();
    if (link.passwordHash !== null && !isOwner) await this.passwords.verify(link, asked.presented);
    const query = publicQuery();
    const subject: StatisticsScope = {
      scope: 'anon',
      source: { links: [{ id: link.id, alias: link.alias }] },
      query,
      period: readPeriod(asked.period, Date.now()),
      shortCode: link.alias,
      link: null,
      words: wordsOf('link', asked.period, query),
      clicks: link.totalClicks,
      isPublic: !link.privateStats,
    };
    return { subject, link, isOwner };
  }
}
