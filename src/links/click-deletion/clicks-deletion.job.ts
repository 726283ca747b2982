import { Injectable } from '@nestjs/common';
import { DroppedClicksRepository } from '../../clicks/store/dropped-clicks.repository';
import { ClickHouseError } from '../../engines/click-house/click-house.errors';
import { ClickHouseConnection } from '../../infrastructure/click-house/click-house.module';
import {
  JobKind,
  type JobStep,
  JobWaiting,
  type RunningJob,
} from '../../infrastructure/jobs/job-kind';
import type { ClearingLink } from '../../stores/links/link-total-writes.repository';
import { LinksRepository } from '../../stores/links/links.repository';
import { ClickRemover } from './click-remover';

const LINKS_A_STEP = 50;
/** A block has up to 8 MB. Removing only a few at a time keeps the database responsive. */
const BLOCKS_AT_ONCE = 4;
const BLOCKS_A_STEP = 32;
/** Time after which every recorder knows about a deletion and adds no more deleted clicks. */
const ROWS_SETTLE_MS = 60_000;
const CLICK_HOUSE_RETRY_MS = 10_000;

interface RemovalCursor {
  /** Differs for each step; the links show the remaining work. */
  readonly steps: number;
}

/** Removes deleted clicks from storage: blocks, and rows in ClickHouse. */
@Injectable()
export class ClicksDeletionJob extends JobKind<null, RemovalCursor> {
  readonly name = 'clicks_deletion';

  constructor(
    private readonly links: LinksRepository,
    private readonly remover: ClickRemover,
    private readonly dropped: DroppedClicksRepository,
    private readonly clickHouse: ClickHouseConnection,
  ) {
    super();
  }

  async step({
    cursor,
    checkLease,
  }: RunningJob<null, RemovalCursor>): Promise<JobStep<RemovalCursor>> {
    const links = await this.links.clearing(LINKS_A_STEP);
    if (links.length === 0) return { cursor: null, done: 0 };
    checkLease();
    await this.finishHiding(links);
    const next = { steps: (cursor?.steps ?? 0) + 1 };
    for (const { id, at } of links) {
      if (await this.hasBlocksLeft(id, at, checkLease)) return { cursor: next, done: 0 };
    }
    checkLease();
    const cleared = this.clickHouse.isUsed ? await this.removeRows(links) : links;
    await this.links.endClearing(cleared);
    return { cursor: next, done: cleared.length };
  }

  /** Completes requests whose process was killed; repeating completed requests has no effect. */
  private async finishHiding(links: readonly ClearingLink[]): Promise<void> {
    for (const ownerId of new Set(links.map((link) => link.ownerId))) {
      await this.remover.hide(
        ownerId,
        links.filter((link) => link.ownerId === ownerId),
      );
    }
  }

  private async hasBlocksLeft(id: string, at: Date, checkLease: () => void): Promise<boolean> {
    for (let removed = 0; removed < BLOCKS_A_STEP; removed += BLOCKS_AT_ONCE) {
      checkLease();
      if (!(await this.dropped.removeBlocks(id, at, BLOCKS_AT_ONCE))) return false;
    }
    return true;
  }

  /** Returns the links without dropped rows. @throws JobWaiting if others must wait */
  private async removeRows(links: readonly ClearingLink[]): Promise<readonly ClearingLink[]> {
    const ids = links.map(({ id }) => id);
    const settled = Date.now() - ROWS_SETTLE_MS;
    const due = links.filter(({ at }) => at.getTime() <= settled);
    try {
      const isCounted = await this.dropped.recount(ids, (id, since, applied) =>
        this.clickHouse.countLater(id, since, applied),
      );
      await this.remover.raiseTotals(ids);
      if (isCounted) await this.clickHouse.removeClicksUpTo(due);
      if (isCounted && due.length > 0) return due;
    } catch (error) {
      if (!(error instanceof ClickHouseError)) throw error;
      throw waiting('ClickHouse cannot remove the deleted clicks yet');
    }
    throw waiting('Some earlier clicks may not have reached ClickHouse yet');
  }
}

function waiting(error: string): JobWaiting {
  return new JobWaiting(CLICK_HOUSE_RETRY_MS, { code: 'internal_error', error });
}
