import { Injectable, Module } from '@nestjs/common';
import { JobKind, type JobStep, type RunningJob } from '../../infrastructure/jobs/job-kind';
import { LinkStoreModule } from '../../stores/links/link-store.module';
import { LinksRepository } from '../../stores/links/links.repository';

/** Looked through by one step, which holds so many in memory. */
const LINKS_A_STEP = 500;

/**
 * Gives links of before what later releases find them by: owned ones the hash that `reuse` asks for
 * (docs/contract.md#20.4), all of them their hosts (docs/contract.md#24.6). The cursor is the id of the
 * last link that was looked at.
 */
@Injectable()
export class LinkBackfillJob extends JobKind<null, string> {
  readonly name = 'backfill';

  constructor(private readonly links: LinksRepository) {
    super();
  }

  async step({ cursor, checkLease }: RunningJob<null, string>): Promise<JobStep<string>> {
    const { looked, last, ...unfilled } = await this.links.unfilledAfter(cursor, LINKS_A_STEP);
    checkLease();
    await this.links.fill(unfilled);
    return { cursor: looked < LINKS_A_STEP ? null : last, done: looked };
  }
}

@Module({ imports: [LinkStoreModule], providers: [LinkBackfillJob] })
export class BackfillJobModule {}
