import { isDeepStrictEqual } from 'node:util';
import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { AppLog } from '../../common/log';
import { JobStarter } from '../../infrastructure/jobs/job-starter';
import { LinkWalk } from '../../stores/links/link-walk.repository';
import { BlockedDestinations } from '../../blocklists/blocked-destinations';
import { ListWalksRepository } from './list-walks.repository';

/** Other processes reload the lists within this time, so that one walk is usually enough. */
const LISTS_SETTLE_MS = 3000;
/** After this time, links that were validated against the previous lists are stored. */
const LATE_WRITES_MS = 1000;
/** Poll interval while a walk runs or the database is unreachable. */
const WALK_POLL_MS = 2000;

/**
 * Starts a walk when the lists change, or at startup if they differ from those applied last. The
 * walk must begin after this process has reloaded the lists, so that it checks links which the
 * process accepted with the previous lists. If machines have different lists, the last changed list
 * applies.
 */
@Injectable()
export class ListWalkStarter implements OnApplicationBootstrap, OnModuleDestroy {
  private timer?: NodeJS.Timeout;
  private stopped = false;
  /** Last change time on the monotonic clock; null at startup. */
  private changedAt: number | null = null;

  constructor(
    private readonly lists: BlockedDestinations,
    private readonly links: LinkWalk,
    private readonly walks: ListWalksRepository,
    private readonly jobs: JobStarter,
    private readonly log: AppLog,
  ) {}

  onApplicationBootstrap(): void {
    this.lists.onChange(() => {
      this.changedAt = performance.now();
      this.schedule(LISTS_SETTLE_MS);
    });
    this.schedule(0);
  }

  onModuleDestroy(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  private schedule(ms: number): void {
    clearTimeout(this.timer);
    if (!this.stopped) this.timer = setTimeout(() => void this.look(), ms).unref();
  }

  private async look(): Promise<void> {
    const { changedAt } = this;
    try {
      const { version } = this.lists;
      if (await this.isApplied()) return;
      await this.jobs.beginOnly('block_list', version);
    } catch (err) {
      this.log.debug(
        'Could not determine whether links were checked against the blocklists; retrying',
        {
          err,
        },
      );
    }
    // A change during this run schedules another run.
    if (changedAt === this.changedAt) this.schedule(WALK_POLL_MS);
  }

  private async isApplied(): Promise<boolean> {
    const { version, begunAt } = await this.walks.applied();
    if (!isDeepStrictEqual(version, this.lists.version)) return false;
    if (this.changedAt === null) return true;
    const now = await this.links.time();
    const since = now.getTime() - (performance.now() - this.changedAt) + LATE_WRITES_MS;
    return begunAt.getTime() >= since;
  }
}
