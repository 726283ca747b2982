import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { BackgroundTasks } from '../../common/background-tasks';
import { AppLog } from '../../common/log';
import { JobStarter } from '../../infrastructure/jobs/job-starter';
import { LinkWalk } from '../../stores/links/link-walk.repository';

/** Delay between attempts while the database is unreachable or builds its indexes. */
const BACKFILL_RETRY_MS = 1000;

/** Starts the backfill job if any link lacks its hash or its hosts. */
@Injectable()
export class BackfillStarter implements OnApplicationBootstrap {
  constructor(
    private readonly links: LinkWalk,
    private readonly jobs: JobStarter,
    private readonly background: BackgroundTasks,
    private readonly log: AppLog,
  ) {}

  onApplicationBootstrap(): void {
    void this.background.retry({
      name: 'check whether links lack search fields',
      everyMs: BACKFILL_RETRY_MS,
      run: () => this.look(),
    });
  }

  private async look(): Promise<void> {
    if (!(await this.links.hasUnfilled())) return;
    const isNew = await this.jobs.beginOnly('backfill');
    if (isNew) this.log.info("Adding this release's search fields to existing links");
  }
}
