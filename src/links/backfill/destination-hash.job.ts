import { Injectable, Module } from '@nestjs/common';
import { JobKind, type JobStep, type RunningJob } from '../../infrastructure/jobs/job-kind';
import { LinkStoreModule } from '../../link-store/link-store.module';
import { LinksRepository } from '../../link-store/links.repository';

/** Looked through by one step, which holds long URLs of so many in memory. */
const LINKS_A_STEP = 500;

/**
 * Gives owned links of before the hash by which `reuse` finds them (docs/contract.md#20.4). The
 * cursor is the id of the last link that was looked at.
 */
@Injectable()
export class DestinationHashJob extends JobKind<null, string> {
  readonly name = 'backfill';

  constructor(private readonly links: LinksRepository) {
    super();
  }

  async step({ cursor, checkLease }: RunningJob<null, string>): Promise<JobStep<string>> {
    const { looked, last, unhashed } = await this.links.unhashedAfter(cursor, LINKS_A_STEP);
    checkLease();
    await this.links.hashDestinations(unhashed);
    return { cursor: looked < LINKS_A_STEP ? null : last, done: looked };
  }
}

@Module({ imports: [LinkStoreModule], providers: [DestinationHashJob] })
export class BackfillJobModule {}
