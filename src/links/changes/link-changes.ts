import { Injectable } from '@nestjs/common';
import type { Client } from '../../infrastructure/client-address/client';
import { cutAlias, refuseReserved } from '../alias';
import { futureExpiry } from '../link-expiry';
import { LinkCreation } from '../link-creation';
import { hashLinkPassword, isLinkPassword, refuseBadComposition } from '../link-password';
import type { Link, LinkChange } from '../link';
import type { UpdateLinkDto } from '../link.dto';

/** Makes a change of what an owner asks for: URL → password → expiry → alias; the first to fail answers. */
@Injectable()
export class LinkChangeReader {
  constructor(private readonly creation: LinkCreation) {}

  /** Checks the rules of docs/contract.md#5.1 and what null and 0 mean in docs/contract.md#6.3. */
  async read(body: UpdateLinkDto, link: Link, now: Date, client: Client): Promise<LinkChange> {
    const longUrl = body.long_url ?? body.url ?? undefined;
    if (longUrl !== undefined) await this.creation.checkLongUrl(longUrl);
    if (typeof body.password === 'string') refuseBadComposition(body.password);
    const expireAfter = expiryOf(body.expire_after, now);
    const alias = typeof body.alias === 'string' ? cutAlias(body.alias) : undefined;
    if (alias !== undefined && alias !== link.alias) refuseReserved(alias);
    return {
      longUrl,
      alias,
      passwordHash: await passwordHashOf(body.password, link, client),
      maxClicks: body.max_clicks === 0 ? null : body.max_clicks,
      expireAfter,
      blockBots: body.block_bots ?? undefined,
      privateStats: body.private_stats ?? undefined,
      status: body.status ?? undefined,
    };
  }
}

function expiryOf(input: UpdateLinkDto['expire_after'], now: Date): Date | null | undefined {
  return input === null || input === undefined ? input : futureExpiry(input, now.getTime());
}

/** The password that the link has already is no change, although its hash would be another one. */
async function passwordHashOf(
  password: string | null | undefined,
  link: Link,
  client: Client,
): Promise<string | null | undefined> {
  if (password === null || password === undefined) return password;
  const same =
    link.passwordHash !== null && (await isLinkPassword(password, link.passwordHash, client));
  return same ? undefined : hashLinkPassword(password, client);
}
