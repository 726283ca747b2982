import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { EmailNotVerifiedError } from '../../auth/access.errors';
import type { Caller } from '../../auth/access';
import type { HttpResult } from '../../common/http/http-result';
import { HttpOptions } from '../../config/options';
import type { Client } from '../../infrastructure/client-address/client-address';
import {
  aliasObjection,
  type AliasSource,
  cutAlias,
  EMOJI_ALIASES,
  randomAlias,
} from '../../links/making/alias';
import { MAX_URL_LENGTH } from '../../links/making/destination';
import { type ClaimToken, toClaimToken } from '../../links/claim/claim-token';
import type { ClaimDto } from '../../links/claim/claim.dto';
import { DEFAULT_SETTINGS, type Link } from '../../stores/links/link';
import { shortUrl } from '../../links/making/link.response';
import { LinkValidationService } from '../../links/making/link-validation.service';
import { LinksService } from '../../links/making/links.service';
import { AliasTakenError } from '../../stores/links/link.errors';
import { LinkReads } from '../../stores/links/link-reads.repository';
import {
  AnonymousLinksClosedError,
  DestinationBlockedError,
  DestinationError,
  type DestinationObjection,
} from '../../links/making/links.errors';
import type { TextInput } from '../../common/http/text-input';
import type { LegacyRequest } from '../request/legacy-request';
import { shapeEmojiAlias } from '../../links/making/emoji-alias';
import {
  AccountNeededError,
  AliasRefusedError,
  EmojiRefusedError,
  EmojiUrlMissingError,
  UrlBlockedError,
  UrlRefusedError,
} from './legacy-shorten.errors';
import { LegacyLinkResponse } from './legacy-shorten.response';
import { commonLegacyFields, refuseLongAlias, checkAll, isOn, requestedUrl } from './legacy-fields';

const ADDRESS_WORDS: Readonly<Record<DestinationObjection, string>> = {
  'no scheme': 'must begin with http:// or https://',
  'other scheme': 'must begin with http:// or https://',
  unreadable: 'is not valid: check its host, port and characters',
  loop: 'leads to this service itself',
};

// Existing clients compare the first words of these texts (docs/contract.md#13.1).
const ALIAS_TAKEN = 'Alias already exists: another link uses it';

const V0_ALIASES: AliasSource = { tries: 20, next: () => randomAlias(6) };

interface Maker {
  readonly ownerId: string | null;
  readonly client: Client;
  /** Null for programs, which get no token, and for accounts, which do not need a token. */
  readonly claim: ClaimToken | null;
}

export interface Shortened {
  readonly result: HttpResult;
  /** Lets the browser claim the link for an account later. */
  readonly claim: ClaimDto | null;
}

interface Shortening {
  readonly url: string;
  readonly alias: string | null;
  readonly input: TextInput;
  readonly maker: Maker;
}

/** Applies v1's rules in v0's order and with v0's error keys. */
@Injectable()
export class LegacyShortenService {
  constructor(
    private readonly creation: LinksService,
    private readonly validation: LinkValidationService,
    private readonly repository: LinkReads,
    private readonly http: HttpOptions,
  ) {}

  async shorten(request: LegacyRequest, caller: Caller, client: Client): Promise<Shortened> {
    const maker = this.demandMaker(request, caller, client);
    return this.shortened(await this.create(request, maker), request, maker);
  }

  async shortenToEmoji(request: LegacyRequest, caller: Caller, client: Client): Promise<Shortened> {
    const maker = this.demandMaker(request, caller, client);
    return this.shortened(await this.createWithEmoji(request, maker), request, maker);
  }

  /** Checked first, because correcting the input does not help a caller without permission. */
  private demandMaker({ wantsJson }: LegacyRequest, caller: Caller, client: Client): Maker {
    // If the session has ended, the visitor must not create a link without an owner by accident.
    caller.demandAccess();
    const { principal, ownerId } = caller;
    if (principal?.emailVerified === false) throw new EmailNotVerifiedError();
    try {
      this.validation.demandOwner(ownerId);
      const isKept = ownerId === null && !wantsJson;
      return { ownerId, client, claim: isKept ? toClaimToken(randomBytes(32)) : null };
    } catch (error) {
      if (error instanceof AnonymousLinksClosedError) throw new AccountNeededError(error.message);
      throw error;
    }
  }

  private shortened(link: Link, request: LegacyRequest, { claim }: Maker): Shortened {
    const kept = claim && { url_id: link.id, token: claim.token };
    return { result: this.result(link, request), claim: kept };
  }

  /** Returns JSON, or a redirect to the result page. */
  private result(link: Link, { wantsJson }: LegacyRequest): HttpResult {
    if (!wantsJson) {
      return { kind: 'redirect', location: `/result/${encodeURIComponent(link.alias)}` };
    }
    const { baseUrl } = this.http;
    const body: LegacyLinkResponse = {
      short_url: shortUrl(baseUrl, link.alias),
      domain: new URL(baseUrl).hostname,
      original_url: link.longUrl,
    };
    return { kind: 'json', body };
  }

  private async create(request: LegacyRequest, maker: Maker): Promise<Link> {
    const { input } = request;
    const url = requestedUrl(request) ?? '';
    const requested = input('alias');
    const alias = requested === null ? null : cutAlias(requested);
    await checkAll(request, [
      () => this.checkUrl(url, 'BlockedUrlError'),
      async () => {
        if (requested !== null && !request.wantsJson) refuseLongAlias(requested);
        if (alias !== null) await this.checkAlias(alias);
      },
    ]);
    const taken = (): Error => new AliasRefusedError(alias ?? '', ALIAS_TAKEN);
    const aliases = maker.ownerId === null ? V0_ALIASES : undefined;
    return this.store({ url, alias, input, maker }, aliases, taken);
  }

  private async createWithEmoji(request: LegacyRequest, maker: Maker): Promise<Link> {
    const { input } = request;
    const url = requestedUrl(request);
    if (url === null) throw new EmojiUrlMissingError();
    const requested = input('emojies');
    const alias = requested === null ? null : shapeEmojiAlias(requested);
    const taken = (): Error => new EmojiRefusedError('Emoji already exists: another link uses it');
    await checkAll(request, [
      () => this.checkUrl(url, 'UrlError'),
      async () => {
        if (requested !== null && alias === null) {
          const message = 'Invalid emoji: use 1 to 15 single emoji, no flags or keycaps';
          throw new EmojiRefusedError(message);
        }
        if (alias !== null && (await this.repository.findHolders([alias])).size > 0) throw taken();
      },
    ]);
    return this.store({ url, alias, input, maker }, EMOJI_ALIASES, taken);
  }

  private async store(
    { url, alias, input, maker: { ownerId, client, claim } }: Shortening,
    aliases: AliasSource | undefined,
    taken: () => Error,
  ): Promise<Link> {
    const requested = {
      ...DEFAULT_SETTINGS,
      ...commonLegacyFields(input),
      longUrl: url,
      alias,
      ownerId,
      claimHash: claim?.hash,
      // Links in accounts always belong to generation v2.
      generation: ownerId === null ? ('v1' as const) : ('v2' as const),
      privateStats: ownerId !== null && isOn(input('private-stats')),
    };
    try {
      return await this.creation.create(requested, client, { aliases });
    } catch (error) {
      throw error instanceof AliasTakenError ? taken() : error;
    }
  }

  private async checkUrl(url: string, blockedKey: 'BlockedUrlError' | 'UrlError'): Promise<void> {
    if (url === '') throw new UrlRefusedError('An address to shorten is missing');
    if (url.length > MAX_URL_LENGTH) throw new UrlRefusedError('The address is too long');
    try {
      await this.validation.checkDestination(url);
    } catch (error) {
      if (error instanceof DestinationBlockedError) throw new UrlBlockedError(blockedKey);
      if (error instanceof DestinationError)
        throw new UrlRefusedError(`The address ${ADDRESS_WORDS[error.objection]}`);
      throw error;
    }
  }

  private async checkAlias(alias: string): Promise<void> {
    const objection = aliasObjection(alias);
    if (objection === 'reserved')
      throw new AliasRefusedError(alias, 'Invalid alias: it is reserved');
    if (objection !== null) {
      const message = 'Invalid alias: use 3 to 16 letters, digits, hyphens or underscores';
      throw new AliasRefusedError(alias, message);
    }
    if ((await this.repository.findHolders([alias])).size > 0) {
      throw new AliasRefusedError(alias, ALIAS_TAKEN);
    }
  }
}
