import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { JobKind, type JobStep, type RunningJob } from '../../infrastructure/jobs/job-kind';
import { LinkCache } from '../../links/cache/link-cache';
import { LinkRemover } from '../../links/removal/link-remover';
import { LinkReads } from '../../stores/links/link-reads.repository';

const REMOVALS_A_STEP = 500;

export interface UndoInput {
  readonly importId: string;
  /** Number of links when the undo began. */
  readonly total: number;
}

interface UndoCursor {
  /** Links that the next step deletes, so that a retry deletes and counts the same links. */
  readonly links: readonly { readonly id: string; readonly alias: string }[];
}

/** An import has at most one undo job, because the job's id is derived from the import's. */
export function undoJobId(importId: string): string {
  return createHash('sha256').update(`undo ${importId}`).digest('hex').slice(0, 24);
}

/** Deletes the links that an import created, except blocked links (docs/contract.md#22.6). */
@Injectable()
export class ImportUndoJob extends JobKind<UndoInput, UndoCursor> {
  readonly name = 'import_undo';

  constructor(
    private readonly reads: LinkReads,
    private readonly remover: LinkRemover,
    private readonly cache: LinkCache,
  ) {
    super();
  }

  async step({
    input,
    cursor,
    ownerId,
    checkLease,
  }: RunningJob<UndoInput, UndoCursor>): Promise<JobStep<UndoCursor>> {
    const links = cursor?.links ?? [];
    let kept = 0;
    if (links.length > 0) {
      checkLease();
      const removed = new Map<string, string>();
      await this.remover.removeUnblocked(links, ownerId, removed);
      const others = links.filter(({ id }) => !removed.has(id));
      // A process that was killed may have deleted these links without announcing it.
      if (others.length > 0) await this.cache.invalidate(...others.map(({ alias }) => alias));
      kept = (await this.reads.blockedAmong(others.map(({ id }) => id))).size;
    }
    const next = await this.reads.findUndoable(input.importId, REMOVALS_A_STEP);
    const following = next.length === 0 ? null : { links: next };
    return { cursor: following, done: links.length - kept, total: input.total };
  }
}
