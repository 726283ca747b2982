import cluster from 'node:cluster';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { BackgroundTasks } from '../../common/background-tasks';
import { AppLog } from '../../common/log';
import { AliasOptions } from '../../config/options';
import { JobStarter } from '../../infrastructure/jobs/job-starter';
import { LinkAddresses } from '../../stores/domains/link-addresses';
import { LinkWalk } from '../../stores/links/link-walk.repository';

/** Delay between attempts while the database is unreachable or builds its indexes. */
const BACKFILL_RETRY_MS = 1000;
const MAX_NAMED = 10;

/** Starts the backfill job if any link lacks a field that this release needs. */
@Injectable()
export class BackfillStarter implements OnApplicationBootstrap {
  private begun = false;

  constructor(
    private readonly links: LinkWalk,
    private readonly jobs: JobStarter,
    private readonly background: BackgroundTasks,
    private readonly addresses: LinkAddresses,
    private readonly aliases: AliasOptions,
    private readonly log: AppLog,
  ) {}

  onApplicationBootstrap(): void {
    void this.background.retry({
      name: 'check whether links lack search fields',
      everyMs: BACKFILL_RETRY_MS,
      run: () => this.look(),
    });
    const isFirst = cluster.isPrimary || cluster.worker?.id === 1;
    if (!this.aliases.ignoreCase || !isFirst) return;
    void this.background.retry({
      name: 'check for aliases that differ only in case',
      everyMs: BACKFILL_RETRY_MS,
      run: () => this.reportCollisions(),
    });
  }

  private async look(): Promise<void> {
    if (!(await this.links.hasUnfilled())) return;
    const isNew = await this.jobs.beginOnly('backfill');
    if (isNew) this.log.info("Adding this release's search fields to existing links");
  }

  /** @throws while links lack their folded alias */
  private async reportCollisions(): Promise<void> {
    if (await this.links.hasUnfilled()) {
      this.begun = true;
      throw new Error('The backfill job has not ended');
    }
    if (this.begun) this.log.info('All existing aliases now match in any case');
    const { count, first, unclaimed } = await this.links.findCollisions(MAX_NAMED);
    // Links created while the setting was off have no claim.
    if (unclaimed > 0) await this.jobs.beginOnly('backfill');
    if (count === 0) return;
    this.log.warn('Some aliases differ only in case, and match only in their exact case', {
      count,
      aliases: first.map((key) => this.addresses.statisticsLabel(key)),
    });
  }
}
