import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { AuditTrailService } from '../../audit-trail/audit-trail.service';
import type { NewAuditEntry } from '../../audit-trail/audit-entry';
import { AppLog } from '../../common/log';
import { ChangeBus } from '../../infrastructure/change-bus/bus';
import {
  JobKind,
  type JobStep,
  JobWaiting,
  type RunningJob,
} from '../../infrastructure/jobs/job-kind';
import { BlockNoticesRepository } from '../../stores/links/block-notices.repository';
import {
  type JudgedLink,
  type ListableLink,
  LinkWalk,
} from '../../stores/links/link-walk.repository';
import { LinksRepository } from '../../stores/links/links.repository';
import { BlockedDestinations, type ListsVersion } from '../../blocklists/blocked-destinations';
import { LIST_REASONS } from './list-reasons';
import { ListWalksRepository } from './list-walks.repository';
import { hostOfStored } from '../../stores/links/destination-hosts';

const MAX_REMEMBERED = 50_000;

/** The blocklist that blocks the link, or `open` to unblock the link. */
type ListVerdict = 'hosts' | 'urls' | 'open';

class Listing {
  private readonly hosts = new Map<string, boolean>();

  constructor(
    private readonly lists: Pick<BlockedDestinations, 'coversHost' | 'judgeByPatterns'>,
  ) {}

  /** Returns null if the link stays unchanged. */
  async verdictOn(link: JudgedLink): Promise<ListVerdict | null> {
    if (link.isExempt || link.blockedBy === 'admin') return null;
    const list = await this.findMatchingList(link);
    if (list === 'unfinished') return null;
    if (link.blockedBy === null) return list;
    return list === null ? 'open' : null;
  }

  /** `unfinished`: an expression timed out, so the result is unknown. */
  private async findMatchingList({ hosts, addresses }: JudgedLink) {
    if (hosts.some((host) => this.covers(host))) return 'hosts';
    let isUnfinished = false;
    for (const address of new Set(addresses)) {
      const verdict = await this.lists.judgeByPatterns(address);
      if (verdict === 'blocked') return 'urls';
      if (verdict === 'unfinished') isUnfinished = true;
    }
    return isUnfinished ? 'unfinished' : null;
  }

  private covers(stored: string): boolean {
    const known = this.hosts.get(stored);
    if (known !== undefined) return known;
    if (this.hosts.size >= MAX_REMEMBERED) this.hosts.clear();
    const covered = this.lists.coversHost(hostOfStored(stored));
    this.hosts.set(stored, covered);
    return covered;
  }
}

/** Decoding this number of links blocks the process for a few milliseconds. */
const LINKS_A_READ = 2000;
/** A step ends after this time or this many matches. */
const STEP_MS = 1000;
const MAX_STEP_LINKS = 1000;
/** Poll interval while the backfill job adds hosts to older links. */
const BACKFILL_WAIT_MS = 2000;

type Found = Readonly<Record<ListVerdict, readonly string[]>>;

export interface WalkCursor {
  /** Database time at the start, in milliseconds. */
  readonly begunAt: number;
  /** Lists from the previous walk, to check only changes; null if that walk was interrupted. */
  readonly before: ListsVersion | null;
  /** Checks hosts first, because patterns take a hundred times as long. */
  readonly pass: 'hosts' | 'urls';
  /** Last link id checked in this pass; null before the first. */
  readonly after: string | null;
  readonly isAtEnd: boolean;
  /** Links that the previous step found and this step writes, so a retry writes the same ones. */
  readonly found: Found | null;
  readonly blocked: number;
  readonly unblocked: number;
}

type Walk = RunningJob<ListsVersion, WalkCursor>;

/**
 * Blocks links that match a blocklist, and unblocks links that no longer match (contract 24.6). The
 * input contains a version of the lists. On a machine with another version, the job ends, and its
 * starter restarts it.
 */
@Injectable()
export class ListWalkJob extends JobKind<ListsVersion, WalkCursor> {
  readonly name = 'block_list';

  constructor(
    private readonly lists: BlockedDestinations,
    private readonly repository: LinksRepository,
    private readonly links: LinkWalk,
    private readonly walks: ListWalksRepository,
    private readonly bus: ChangeBus,
    private readonly trail: AuditTrailService,
    private readonly notices: BlockNoticesRepository,
    private readonly log: AppLog,
  ) {
    super();
  }

  async step(job: Walk): Promise<JobStep<WalkCursor>> {
    await this.lists.look();
    if (!isDeepStrictEqual(this.lists.version, job.input)) return this.end(job, false);
    const { cursor } = job;
    if (cursor === null) return this.begin(job);
    if (cursor.found !== null) return this.write(job, cursor, cursor.found);
    if (cursor.isAtEnd && cursor.pass === 'hosts' && this.needsPatterns(cursor.before, job.input)) {
      return { cursor: { ...cursor, pass: 'urls', after: null, isAtEnd: false }, done: 0 };
    }
    if (cursor.isAtEnd) return this.end(job, true);
    return this.lookThrough(job, cursor);
  }

  /**
   * From this point, some links are checked against these lists and others against the previous
   * lists.
   */
  private async begin({ input, checkLease }: Walk): Promise<JobStep<WalkCursor>> {
    if (await this.links.hasUnfilled()) {
      const reason = {
        code: 'internal_error',
        error: 'Waiting until all existing links have their search fields',
      };
      throw new JobWaiting(BACKFILL_WAIT_MS, reason);
    }
    const { version } = await this.walks.applied();
    const now = await this.links.time();
    checkLease();
    await this.walks.note({ version: null, begunAt: now });
    const cursor: WalkCursor = {
      begunAt: now.getTime(),
      before: version,
      after: null,
      isAtEnd: false,
      found: null,
      pass: 'hosts',
      blocked: 0,
      unblocked: 0,
    };
    const passes = this.needsPatterns(version, input) ? 2 : 1;
    return { cursor, done: 0, total: (await this.links.estimatedCount()) * passes };
  }

  /** If only hosts have changed, links that stay open are not checked against patterns. */
  private needsPatterns(before: ListsVersion | null, { hosts, urls }: ListsVersion): boolean {
    if (!this.lists.hasPatterns) return false;
    return before === null || before.urls !== urls || before.hosts === hosts;
  }

  private async lookThrough({ signal }: Walk, cursor: WalkCursor): Promise<JobStep<WalkCursor>> {
    const listing = new Listing(this.lists);
    const found: Record<ListVerdict, string[]> = { hosts: [], urls: [], open: [] };
    const until = performance.now() + STEP_MS;
    let { after } = cursor;
    let done = 0;
    let count = 0;
    let isAtEnd = false;
    while (!isAtEnd && count < MAX_STEP_LINKS && performance.now() < until && !signal.aborted) {
      const part = await this.links.judgedAfter(after, LINKS_A_READ, cursor.pass === 'urls');
      isAtEnd = part.length < LINKS_A_READ;
      for (const [verdict, id] of await this.judge(part, listing, cursor.pass)) {
        found[verdict].push(id);
        count += 1;
      }
      done += part.length;
      after = part.at(-1)?.id ?? after;
    }
    return { cursor: { ...cursor, after, isAtEnd, found: count === 0 ? null : found }, done };
  }

  /** Returns verdicts only for links to block or unblock. */
  private async judge(
    part: readonly JudgedLink[],
    listing: Listing,
    pass: WalkCursor['pass'],
  ): Promise<[ListVerdict, string][]> {
    const verdicts: [ListVerdict, string][] = [];
    const toBeTried: string[] = [];
    for (const link of part) {
      const verdict = await listing.verdictOn(link);
      if (verdict === 'open' && pass === 'hosts') toBeTried.push(link.id);
      else if (verdict !== null) verdicts.push([verdict, link.id]);
    }
    if (toBeTried.length === 0) return verdicts;
    // No host matches these links, but a pattern may block them.
    return [
      ...verdicts,
      ...(await this.judge(await this.links.listableAmong(toBeTried), listing, 'urls')),
    ];
  }

  /** Blocks and unblocks links if the verdict still applies. */
  private async write(
    { checkLease }: Walk,
    cursor: WalkCursor,
    found: Found,
  ): Promise<JobStep<WalkCursor>> {
    const listing = new Listing(this.lists);
    const ids = Object.values(found).flat();
    const links = await this.links.listableAmong(ids);
    const still: Record<ListVerdict, ListableLink[]> = { hosts: [], urls: [], open: [] };
    for (const link of links) {
      const verdict = await listing.verdictOn(link);
      if (verdict !== null) still[verdict].push(link);
    }
    checkLease();
    const closing = [...still.hosts, ...still.urls].filter(({ blockedBy }) => blockedBy === null);
    await this.notices.note(await this.links.findOwners(closing.map(({ id }) => id)));
    await this.repository.closeByList(still.hosts, LIST_REASONS.hosts);
    await this.repository.closeByList(still.urls, LIST_REASONS.urls);
    await this.repository.openByList(still.open);
    // Announces all links, because messages from an earlier attempt may be lost.
    await this.bus.publish(
      'links.changed',
      links.map(({ alias }) => alias),
    );
    const blocked = cursor.blocked + found.hosts.length + found.urls.length;
    const unblocked = cursor.unblocked + found.open.length;
    return { cursor: { ...cursor, found: null, blocked, unblocked }, done: 0 };
  }

  /** @param isWhole false if the walk stops because the lists have changed */
  private async end({ input, cursor }: Walk, isWhole: boolean): Promise<JobStep<WalkCursor>> {
    if (cursor !== null) {
      const { begunAt, blocked, unblocked } = cursor;
      if (blocked + unblocked > 0) await this.trail.add(toWalkEntry(cursor, input));
      if (isWhole) await this.walks.note({ version: input, begunAt: new Date(begunAt) });
      this.log.info('Checked links against the blocklists', { blocked, unblocked, isWhole });
    }
    return { cursor: null, done: 0 };
  }
}

/** The id is derived from the run, so that a retry of the last step adds no second entry. */
function toWalkEntry(
  { begunAt, before, blocked, unblocked }: WalkCursor,
  after: ListsVersion,
): NewAuditEntry {
  const digest = createHash('sha256').update(`list.apply ${begunAt}`).digest('hex');
  const hasOther = (list: keyof ListsVersion) => before === null || before[list] !== after[list];
  const id = (['hosts', 'urls'] as const).filter(hasOther).join(', ');
  return {
    id: digest.slice(0, 24),
    actor: { id: null, via: 'list' },
    act: 'list.apply',
    subject: { kind: 'list', id },
    before: null,
    after: { blocked, unblocked },
  };
}
