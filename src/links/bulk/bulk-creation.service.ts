import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/access';
import { limitRow } from '../../auth/rate-limit/rate-limits';
import { RateLimiter } from '../../auth/rate-limit/rate-limiter';
import { RequestValidationPipe } from '../../common/http/validation.pipe';
import { LinkAddresses } from '../../stores/domains/link-addresses';
import type { Attempt } from '../../idempotency/attempt';
import type { Client } from '../../infrastructure/client-address/client-address';
import { AliasTakenError } from '../../stores/links/link.errors';
import type { Link, NewLink } from '../../stores/links/link';
import { LinkReads } from '../../stores/links/link-reads.repository';
import { LinksRepository } from '../../stores/links/links.repository';
import { AccountTags } from '../../stores/tags/account-tags';
import type { TagSet } from '../../stores/tags/tag-set';
import { LinkCache } from '../cache/link-cache';
import { aliasSource, CreateLinkDto, toCreateLink } from '../making/link.dto';
import { createLinks, type LinkRequest } from '../making/link-creation';
import { hashLinkPassword } from '../making/link-password';
import { toCreatedLink } from '../making/link.response';
import { LinkValidationService } from '../making/link-validation.service';
import { type CreatedLink, LinksService } from '../making/links.service';
import {
  type BulkAnswer,
  bulkAnswer,
  type BulkCreateRowResponse,
  DONE,
  isUnfinishedRow,
  isUnreachable,
  errorField,
  toVerdict,
} from './bulk.response';
import { refuseLargeItem, refuseManyPasswords } from './bulk.dto';

interface Candidate extends Omit<LinkRequest, 'link'> {
  readonly index: number;
  readonly link: Omit<NewLink, 'alias' | 'tags'>;
  readonly tagNames: readonly string[];
}

type TaggedCandidate = Candidate & LinkRequest;

type Verdicts = Map<number, CreatedLink | Error>;

/** Creates links with the rules for POST /api/v1/shorten (docs/contract.md#20.1). */
@Injectable()
export class BulkCreationService {
  private readonly shapes = new RequestValidationPipe();

  constructor(
    private readonly links: LinksService,
    private readonly validation: LinkValidationService,
    private readonly repository: LinksRepository,
    private readonly reads: LinkReads,
    private readonly cache: LinkCache,
    private readonly tags: AccountTags,
    private readonly limiter: RateLimiter,
    private readonly addresses: LinkAddresses,
  ) {}

  async create(
    items: readonly object[],
    caller: Principal,
    client: Client,
    attempt: Attempt,
  ): Promise<BulkAnswer<BulkCreateRowResponse>> {
    refuseManyPasswords(items);
    if (!attempt.isRepeated) await this.countItems(items.length, caller);
    const verdicts = await this.madeBefore(items.length, attempt);
    await this.make(items, caller, client, attempt, verdicts);
    const tags = await this.tags.findTags(caller.ownerId);
    const rows = items.map(
      (item, index) =>
        (attempt.doneRow(index) as BulkCreateRowResponse | undefined) ??
        this.toRow(item, index, verdicts.get(index), tags),
    );
    if (rows.some(isUnfinishedRow))
      attempt.leaveOpen(rows.map((row) => (isUnfinishedRow(row) ? null : row)));
    return bulkAnswer(rows);
  }

  private async countItems(items: number, { userId }: Principal): Promise<void> {
    const rules = limitRow('links.create-items').authenticated ?? [];
    if (rules.length > 0)
      await this.limiter.count(`links.create-items|user:${userId}`, rules, items);
  }

  private async madeBefore(items: number, attempt: Attempt): Promise<Verdicts> {
    const verdicts: Verdicts = new Map();
    if (!attempt.isRepeated) return verdicts;
    const ids = Array.from({ length: items }, (_, i) => attempt.documentId(i));
    const created = await this.reads.findInOrder(ids);
    for (const link of created) verdicts.set(ids.indexOf(link.id), { link, isReused: false });
    await this.invalidate(created);
    return verdicts;
  }

  /** Validates items in order and stores the valid ones, in batches if the results are the same. */
  private async make(
    items: readonly object[],
    caller: Principal,
    client: Client,
    attempt: Attempt,
    verdicts: Verdicts,
  ): Promise<void> {
    const now = new Date();
    const hash = hashingOnce();
    const named = new Set<string>();
    let waiting: Candidate[] = [];
    const store = async (): Promise<void> => {
      const candidates = waiting;
      waiting = [];
      await this.insert(await this.tag(candidates, caller.ownerId, verdicts), verdicts);
    };
    for (const [index, item] of items.entries()) {
      const verdict = verdicts.get(index);
      if (verdict !== undefined && !(verdict instanceof Error)) named.add(verdict.link.alias);
      if (verdict !== undefined || attempt.doneRow(index) !== undefined) continue;
      // Lets other requests run between items, because validation needs much CPU time.
      await setImmediate();
      try {
        refuseLargeItem(item);
        const metadata = { type: 'body', metatype: CreateLinkDto } as const;
        const body = (await this.shapes.transform(item, metadata)) as CreateLinkDto;
        const input = this.links.place(toCreateLink(body, caller.ownerId));
        const link = await this.validation.judgeNew(input, now, client, hash);
        const { alias } = input;
        // `reuse` must find a link that an earlier item creates.
        const isNear = waiting.some((earlier) => earlier.link.longUrl === link.longUrl);
        if (input.reuse && isNear) await store();
        const later = attempt.isRepeated
          ? items.map((_, i) => attempt.documentId(i)).slice(index)
          : [];
        const known = await this.links.findReusable(input, link, later);
        if (known !== null) {
          verdicts.set(index, { link: known, isReused: true });
          continue;
        }
        if (alias !== null && named.has(alias)) throw new AliasTakenError(alias);
        if (alias !== null) named.add(alias);
        waiting.push({
          index,
          link: { ...link, id: attempt.documentId(index) },
          tagNames: input.tagNames,
          alias,
          domainId: input.domainId,
          aliases: aliasSource(body),
        });
      } catch (error) {
        refuse(verdicts, index, error);
      }
    }
    await store();
  }

  /** Resolves tags and creates unknown ones, except for items whose alias is taken. */
  private async tag(
    candidates: readonly Candidate[],
    ownerId: string,
    verdicts: Verdicts,
  ): Promise<TaggedCandidate[]> {
    const withTags = candidates.filter(({ tagNames }) => tagNames.length > 0);
    const aliases = withTags.flatMap(({ alias }) => alias ?? []);
    const taken = await this.reads.findHolders(aliases);
    const tagged: TaggedCandidate[] = [];
    for (const candidate of candidates) {
      const { index, alias, link, tagNames } = candidate;
      try {
        const holder = alias === null || tagNames.length === 0 ? undefined : taken.get(alias);
        if (alias !== null && holder !== undefined) throw new AliasTakenError(alias, holder.alias);
        const tags = await this.tags.idsFor(ownerId, tagNames);
        tagged.push({ ...candidate, link: { ...link, tags } });
      } catch (error) {
        refuse(verdicts, index, error);
      }
    }
    return tagged;
  }

  private async insert(candidates: readonly TaggedCandidate[], verdicts: Verdicts): Promise<void> {
    const results = await createLinks(this.repository, candidates, new Date());
    const created: Link[] = [];
    const errors: [number, Error][] = [];
    for (const [i, { index }] of candidates.entries()) {
      const result = results[i] as Link | Error;
      if (result instanceof Error) {
        errors.push([index, result]);
        continue;
      }
      verdicts.set(index, { link: result, isReused: false });
      created.push(result);
    }
    await this.invalidate(created);
    for (const [index, error] of errors) refuse(verdicts, index, error);
  }

  private async invalidate(links: readonly Link[]): Promise<void> {
    if (links.length > 0) await this.cache.invalidate(...links.map(({ alias }) => alias));
  }

  private toRow(
    item: object,
    index: number,
    verdict: CreatedLink | Error | undefined,
    tags: TagSet,
  ): BulkCreateRowResponse {
    const requestedAlias = 'alias' in item && typeof item.alias === 'string' ? item.alias : null;
    if (verdict === undefined || verdict instanceof Error) {
      const refused = { id: null, alias: requestedAlias, ...toVerdict(verdict) };
      return { ...refused, index, field: errorField(verdict), url: null };
    }
    const { id } = verdict.link;
    const more = verdict.isReused ? ({ reused: true } as const) : {};
    const url = toCreatedLink(verdict.link, tags, this.addresses, requestedAlias, more);
    return { id, alias: url.alias, ...DONE, index, field: null, url };
  }
}

/** Throws, which fails the request, if the database is down and no link was stored yet. */
function refuse(verdicts: Verdicts, index: number, error: unknown): void {
  const isBegun = [...verdicts.values()].some((verdict) => !(verdict instanceof Error));
  if (isUnreachable(error) && !isBegun) throw error;
  verdicts.set(index, error as Error);
}

function hashingOnce(): typeof hashLinkPassword {
  const hashes = new Map<string, Promise<string>>();
  return (password, client) => {
    const hash = hashes.get(password) ?? hashLinkPassword(password, client);
    hashes.set(password, hash);
    return hash;
  };
}
