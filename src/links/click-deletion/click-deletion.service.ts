import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Principal } from '../../auth/access';
import { BackgroundTasks } from '../../common/background-tasks';
import { AppLog } from '../../common/log';
import { JobStarter } from '../../infrastructure/jobs/job-starter';
import { JobsRepository } from '../../infrastructure/jobs/jobs.repository';
import type { Link } from '../../stores/links/link';
import { UnknownLinkError } from '../../stores/links/link.errors';
import { LinkReads } from '../../stores/links/link-reads.repository';
import { LinksRepository } from '../../stores/links/links.repository';
import { LinkBlockedError, UnfinishedImportError } from '../making/links.errors';
import { LinksService } from '../making/links.service';
import type { DeletedClicksResponse } from './click-deletion.response';
import { ClickRemover } from './click-remover';

/** How often each web process checks for deletions that a stopped process did not finish. */
const LOOK_MS = 5000;
const FIRST_LOOK_MS = 500;

interface DeletionOutcomes {
  readonly done: Map<string, string>;
  readonly failed: Map<string, unknown>;
}

/** Deletes links' clicks (docs/contract.md#37); a job frees the space. */
@Injectable()
export class ClickDeletionService implements OnApplicationBootstrap {
  constructor(
    private readonly links: LinksService,
    private readonly reads: LinkReads,
    private readonly repository: LinksRepository,
    private readonly remover: ClickRemover,
    private readonly jobs: JobsRepository,
    private readonly starter: JobStarter,
    private readonly background: BackgroundTasks,
    private readonly log: AppLog,
  ) {}

  onApplicationBootstrap(): void {
    const run = async (): Promise<void> => {
      if ((await this.repository.clearing(1)).length > 0) await this.beginJob();
    };
    const task = { name: 'check for unfinished deletions of clicks', everyMs: LOOK_MS, run };
    this.background.repeat(task, FIRST_LOOK_MS);
  }

  /** @throws UnfinishedImportError, and the errors of `changeableLink` */
  async deleteClicks(urlId: string, caller: Principal): Promise<DeletedClicksResponse> {
    const { id } = await this.links.changeableLink(urlId, caller);
    const [link] = await this.drop(caller.ownerId, [id]);
    if (link?.clicksDeletedAt == null) throw new UnknownLinkError('id');
    return {
      message: 'Clicks deleted',
      id,
      clicks_deleted_at: link.clicksDeletedAt.toISOString(),
    };
  }

  async deleteMany(
    ids: readonly string[],
    ownerId: string,
    { done, failed }: DeletionOutcomes,
  ): Promise<void> {
    try {
      for (const { id, alias } of await this.drop(ownerId, ids)) done.set(id, alias);
    } catch (error) {
      if (!(error instanceof UnfinishedImportError)) throw error;
      for (const id of ids) failed.set(id, error);
    }
    for (const { id, blocked } of await this.reads.findInOrder(ids)) {
      if (!done.has(id) && blocked !== null) failed.set(id, new LinkBlockedError());
    }
  }

  /** Returns the links whose clicks are deleted. */
  private async drop(ownerId: string, ids: readonly string[]): Promise<Link[]> {
    // An import that starts later detects the deletion and does not change the links' history.
    if ((await this.jobs.countUnfinished(ownerId, 'import')) > 0) throw new UnfinishedImportError();
    const at = new Date();
    await this.repository.dropClicks(ownerId, ids, at);
    const found = await this.reads.findInOrder(ids);
    const dropped = found.filter(({ clicksDeletedAt }) => Number(clicksDeletedAt) >= Number(at));
    await this.remover.hide(
      ownerId,
      dropped.map(({ id, alias, clicksDeletedAt }) => ({ id, alias, at: clicksDeletedAt ?? at })),
    );
    await this.beginJob();
    return dropped;
  }

  /** If this fails, a later check starts the job. */
  private async beginJob(): Promise<void> {
    try {
      await this.starter.beginOnly('clicks_deletion');
    } catch (err) {
      this.log.debug('Could not begin to remove deleted clicks; retrying', { err });
    }
  }
}
