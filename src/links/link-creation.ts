import { Injectable } from '@nestjs/common';
import { HttpOptions } from '../config/options';
import { randomAlias } from './alias';
import { refuseReserved } from './alias';
import { BlockedDestinations } from './blocked-destinations';
import { readDestination } from './destination';
import type { Client } from '../infrastructure/client-address/client';
import { futureExpiry } from './link-expiry';
import { hashLinkPassword, refuseBadComposition } from './link-password';
import { AliasesExhaustedError, AliasTakenError, DestinationBlockedError } from './links.errors';
import { LinksRepository } from './links.repository';
import { isReserved } from './alias';
import { LinkCache } from './link-cache';
import type { CreateLink, Link, NewLink } from './link';

/** How aliases are made where none is asked for. */
export interface AliasSource {
  readonly tries: number;
  next(): string;
}

/** docs/contract.md#5.3: 7 letters or digits, 10 tries. */
const V1_ALIASES: AliasSource = { tries: 10, next: () => randomAlias(7) };

/** Makes links, v1 and v0 alike: URL → password → expiry → alias; the first to fail answers. */
@Injectable()
export class LinkCreation {
  constructor(
    private readonly repository: LinksRepository,
    private readonly directory: LinkCache,
    private readonly blocked: BlockedDestinations,
    private readonly http: HttpOptions,
  ) {}

  async create(
    input: CreateLink,
    client: Client,
    aliases: AliasSource = V1_ALIASES,
  ): Promise<Link> {
    const now = new Date();
    await this.checkLongUrl(input.longUrl);
    if (input.password !== null) refuseBadComposition(input.password);
    const expireAfter =
      input.expireAfter === null ? null : futureExpiry(input.expireAfter, now.getTime());
    if (input.alias !== null) refuseReserved(input.alias);
    const passwordHash =
      input.password === null ? null : await hashLinkPassword(input.password, client);
    const link = { ...input, expireAfter, passwordHash };
    const made =
      input.alias === null
        ? await this.insertGenerated(link, aliases, now)
        : await this.repository.insert({ ...link, alias: input.alias }, now);
    await this.directory.invalidate(made.alias);
    return made;
  }

  /** docs/contract.md#5.2; throws DestinationError or DestinationBlockedError. */
  async checkLongUrl(longUrl: string): Promise<void> {
    const url = readDestination(longUrl, this.http);
    const verdict = await this.blocked.judge(longUrl, url);
    if (verdict !== 'allowed') throw new DestinationBlockedError(verdict);
  }

  private async insertGenerated(
    link: Omit<NewLink, 'alias'>,
    aliases: AliasSource,
    now: Date,
  ): Promise<Link> {
    for (let attempt = 0; attempt < aliases.tries; attempt++) {
      const alias = aliases.next();
      if (isReserved(alias)) continue;
      try {
        return await this.repository.insert({ ...link, alias }, now);
      } catch (error) {
        if (!(error instanceof AliasTakenError)) throw error;
      }
    }
    throw new AliasesExhaustedError();
  }
}
