import { Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/access';
import { UnprocessableError } from '../../common/errors';
import { RequestValidationPipe } from '../../common/http/validation.pipe';
import type { Attempt } from '../../idempotency/attempt';
import type { Client } from '../../infrastructure/client-address/client-address';
import type { Link, LinkChange } from '../../stores/links/link';
import type { TagMoves } from '../../stores/links/link-updates';
import { LinkReads } from '../../stores/links/link-reads.repository';
import { LinksRepository } from '../../stores/links/links.repository';
import { AccountTags } from '../../stores/tags/account-tags';
import { distinctTagNames, MAX_TAGS_OF_LINK } from '../../stores/tags/tag';
import { LinkCache } from '../cache/link-cache';
import { ClickDeletionService } from '../click-deletion/click-deletion.service';
import { toLinkUpdate } from '../making/link.dto';
import { misplacedTime } from '../making/link-rules';
import { LinkBlockedError, MisplacedTimeError } from '../making/links.errors';
import { LinkValidationService, type SharedUpdate } from '../making/link-validation.service';
import { awaitsQuota, LinksService } from '../making/links.service';
import { RemovalService } from '../removal/removal.service';
import { TooManyTagsError, withinField } from './bulk.errors';
import {
  type BulkDeleteDto,
  type BulkDomainDto,
  type BulkExpiryDto,
  BulkSetDto,
  type BulkStatusDto,
  type BulkUpdateDto,
  refuseOwnFields,
} from './bulk.dto';
import { BulkRunService, type Target, type Work } from './bulk-run.service';
import {
  bulkAnswer,
  type BulkAnswer,
  type BulkUpdateRowResponse,
  isUnreachable,
  type LinkRow,
  withoutFields,
} from './bulk.response';

/** Changes many links with the single-link routes' rules (docs/contract.md#20.1). */
@Injectable()
export class BulkChangesService {
  private readonly shapes = new RequestValidationPipe();

  constructor(
    private readonly runs: BulkRunService,
    private readonly links: LinksService,
    private readonly validation: LinkValidationService,
    private readonly repository: LinksRepository,
    private readonly reads: LinkReads,
    private readonly tags: AccountTags,
    private readonly removal: RemovalService,
    private readonly clicks: ClickDeletionService,
    private readonly cache: LinkCache,
  ) {}

  async setStatus(
    body: BulkStatusDto,
    caller: Principal,
    attempt: Attempt,
  ): Promise<BulkAnswer<LinkRow>> {
    const work = this.changing({ status: body.status }, caller, { touch: true });
    const selection = this.runs.readSelection(body, caller);
    return withoutFields(await this.runs.run(selection, caller, attempt, () => work));
  }

  async setExpiry(
    body: BulkExpiryDto,
    caller: Principal,
    client: Client,
    attempt: Attempt,
  ): Promise<BulkAnswer<LinkRow>> {
    const selection = this.runs.readSelection(body, caller);
    const change = await this.validation.judgeChange({ expireAfter: body.expire_after }, client);
    const answer = await this.runs.run(selection, caller, attempt, () =>
      this.changing(change, caller),
    );
    return withoutFields(answer);
  }

  /** Moves links one by one, since an alias may be taken on the domain (docs/contract.md#25.1). */
  async move(
    { domain, ...body }: BulkDomainDto,
    caller: Principal,
    client: Client,
    attempt: Attempt,
  ): Promise<BulkAnswer<LinkRow>> {
    const selection = this.runs.readSelection(body, caller);
    this.links.findDomainId(domain, caller.ownerId);
    const work: Work = async (targets, { done, failed }) => {
      for (const { id } of targets) {
        try {
          done.set(id, (await this.links.update(id, { domain }, caller, client)).alias);
        } catch (error) {
          if (isUnreachable(error)) throw error;
          failed.set(id, error);
        }
      }
    };
    return withoutFields(await this.runs.run(selection, caller, attempt, () => work));
  }

  async update(
    body: BulkUpdateDto,
    caller: Principal,
    client: Client,
    attempt: Attempt,
  ): Promise<BulkAnswer<BulkUpdateRowResponse>> {
    const { tagNames, ...update } = await withinField('set', () => this.shapedUpdate(body));
    const selection = this.runs.readSelection(body, caller);
    const change = await withinField('set', () => this.validation.judgeChange(update, client));
    const { results } = await this.runs.run(selection, caller, attempt, async () => {
      const ids = (names: readonly string[], field: string): Promise<string[]> =>
        this.tags.idsFor(caller.ownerId, names, field);
      const tags = tagNames && (await ids(tagNames, 'set.tags'));
      const moves = await this.prepareTagMoves(body, caller, ids);
      return this.changing({ ...change, tags }, caller, { moves });
    });
    return bulkAnswer(results.map((row, index) => ({ field: null, ...row, index })));
  }

  async remove(
    body: BulkDeleteDto,
    caller: Principal,
    attempt: Attempt,
  ): Promise<BulkAnswer<LinkRow>> {
    const work: Work = (targets, { done }) =>
      this.removal.removeMany(targets, caller.ownerId, done);
    const selection = this.runs.readSelection(body, caller);
    return withoutFields(
      await this.runs.run(selection, caller, attempt, () => work, attempt.isRepeated),
    );
  }

  async deleteClicks(
    body: BulkDeleteDto,
    caller: Principal,
    attempt: Attempt,
  ): Promise<BulkAnswer<LinkRow>> {
    const work: Work = (targets, outcomes) =>
      this.clicks.deleteMany(
        targets.map(({ id }) => id),
        caller.ownerId,
        outcomes,
      );
    const selection = this.runs.readSelection(body, caller);
    return withoutFields(await this.runs.run(selection, caller, attempt, () => work));
  }

  private async shapedUpdate({ set, add_tags, remove_tags }: BulkUpdateDto): Promise<SharedUpdate> {
    const given = set ?? {};
    const movesTags = [add_tags, remove_tags].some((names) => names && names.length > 0);
    refuseOwnFields(given, movesTags);
    const metadata = { type: 'body', metatype: BulkSetDto } as const;
    const update = toLinkUpdate((await this.shapes.transform(given, metadata)) as BulkSetDto);
    const isChange = Object.values<unknown>(update).some((value) => value !== undefined);
    if (isChange || movesTags) return update;
    throw UnprocessableError.forField('', 'contains no change');
  }

  private async prepareTagMoves(
    { add_tags, remove_tags }: BulkUpdateDto,
    { ownerId }: Principal,
    idsFor: (names: readonly string[], field: string) => Promise<string[]>,
  ): Promise<TagMoves | null> {
    if (!add_tags && !remove_tags) return null;
    const known = await this.tags.findTags(ownerId);
    const removed = distinctTagNames(remove_tags ?? []).map((name) => known.byName(name)?.id);
    const remove = removed.filter((id) => id !== undefined);
    return { add: await idsFor(distinctTagNames(add_tags ?? []), 'add_tags'), remove };
  }

  private changing(
    change: LinkChange,
    { ownerId }: Principal,
    { touch = false, moves = null }: { touch?: boolean; moves?: TagMoves | null } = {},
  ): Work {
    return async (targets, { done, failed }) => {
      const ids = targets.map(({ id }) => id);
      const shared = { change, moves, touch, now: new Date() };
      await this.repository.changeMany(ownerId, ids, shared, MAX_TAGS_OF_LINK);
      const changed = await this.reads.findInOrder(ids);
      for (const link of changed) {
        if (link.blocked !== null) {
          failed.set(link.id, new LinkBlockedError());
          continue;
        }
        const misplaced = misplacedTime(change, link);
        if (misplaced !== null) failed.set(link.id, new MisplacedTimeError(misplaced));
        else if (moves !== null && isOverfull(link, moves))
          failed.set(link.id, new TooManyTagsError());
        else done.set(link.id, link.alias);
      }
      await this.invalidate([...targets, ...changed]);
      const waiting = changed.filter((link) => done.has(link.id) && awaitsQuota(link, change));
      if (waiting.length === 0 || !(await this.links.catchUpClicks())) return;
      const named = waiting.map(({ id }) => id);
      await this.repository.activateQuotas(named, change.status !== undefined);
      await this.invalidate(waiting);
    };
  }

  private invalidate(links: readonly Target[]): Promise<void> {
    return this.cache.invalidate(...new Set(links.map(({ alias }) => alias)));
  }
}

/** Whether a link was skipped because it would exceed the tag limit. */
function isOverfull({ tags }: Link, { add, remove }: TagMoves): boolean {
  const after = new Set([...tags.filter((id) => !remove.includes(id)), ...add]);
  return after.size > MAX_TAGS_OF_LINK;
}
