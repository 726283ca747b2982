import { isDeepStrictEqual } from 'node:util';
import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { AppLog } from '../../common/log';
import { JobStarter } from '../../infrastructure/jobs/job-starter';
import { LinksRepository } from '../../stores/links/links.repository';
import { BlockedDestinations } from '../../blocklists/blocked-destinations';
import { ListWalksRepository } from './list-walks.repository';

/** After a change other processes take it up too; mostly one walk is then enough for all of them. */
const LISTS_SETTLE_MS = 3000;
/** Links that this process judged by the lists of before are stored by then. */
const LATE_WRITES_MS = 1000;
/** Between two looks whether the walk is done, or the database is there. */
const WALK_POLL_MS = 2000;

/**
 * Has all links held against the lists: after each change of these, and at a start that finds others than
 * were applied last. Each web process asks for a walk that began after it had taken up the change itself,
 * so that no link slips through that it has made by the lists of before. Where machines have different
 * lists, the walk of whoever saw a change last holds: nobody else begins one.
 */
@Injectable()
export class ListWalkStarter implements OnApplicationBootstrap, OnModuleDestroy {
  private timer?: NodeJS.Timeout;
  private stopped = false;
  /** By the clock that only goes on; null: at the start. */
  private changedAt: number | null = null;

  constructor(
    private readonly lists: BlockedDestinations,
    private readonly links: LinksRepository,
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
    const { version } = this.lists;
    const { changedAt } = this;
    try {
      if (await this.isApplied()) return;
      await this.jobs.beginOnly('block_list', version);
    } catch (err) {
      this.log.debug('It is not known yet whether links were held against the lists', { err });
    }
    // A change meanwhile has its own look.
    if (changedAt === this.changedAt) this.schedule(WALK_POLL_MS);
  }

  private async isApplied(): Promise<boolean> {
    const { version, begunAt } = await this.walks.applied();
    if (!isDeepStrictEqual(version, this.lists.version)) return false;
    if (this.changedAt === null) return true;
    const { now } = await this.links.time();
    const since = now.getTime() - (performance.now() - this.changedAt) + LATE_WRITES_MS;
    return begunAt.getTime() >= since;
  }
}
