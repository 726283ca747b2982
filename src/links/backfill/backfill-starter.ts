import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { AppLog } from '../../common/log';
import { JobStarter } from '../../infrastructure/jobs/job-starter';
import { LinkWalk } from '../../stores/links/link-walk.repository';

/** Delay between attempts while the database is unreachable or builds its indexes. */
const BACKFILL_RETRY_MS = 1000;

/** Starts the backfill job if any link lacks its hash or its hosts. */
@Injectable()
export class BackfillStarter implements OnApplicationBootstrap, OnModuleDestroy {
  private timer?: NodeJS.Timeout;
  private stopped = false;

  constructor(
    private readonly links: LinkWalk,
    private readonly jobs: JobStarter,
    private readonly log: AppLog,
  ) {}

  onApplicationBootstrap(): void {
    void this.look();
  }

  onModuleDestroy(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  private async look(): Promise<void> {
    try {
      if (!(await this.links.hasUnfilled())) return;
      const isNew = await this.jobs.beginOnly('backfill');
      if (isNew) this.log.info('Adding the search fields of this release to existing links');
    } catch (err) {
      this.log.debug('Could not check whether links lack search fields; retrying', { err });
      if (!this.stopped) this.timer = setTimeout(() => void this.look(), BACKFILL_RETRY_MS).unref();
    }
  }
}
