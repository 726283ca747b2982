import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { JobKind, type JobStep, type RunningJob } from '../../infrastructure/jobs/job-kind';
import { LinkWalk } from '../../stores/links/link-walk.repository';
import { LinksRepository } from '../../stores/links/links.repository';

/** Small, because redirects wait while the database handles a step. */
const LINKS_A_STEP = 50;

/**
 * Adds hashes (docs/contract.md#20.4), hosts (#24.6) and folded aliases (#34.4) to links from earlier
 * releases.
 */
@Injectable()
export class LinkBackfillJob extends JobKind<null, string> {
  readonly name = 'backfill';

  constructor(
    private readonly links: LinksRepository,
    private readonly walk: LinkWalk,
  ) {
    super();
  }

  async step({ cursor, checkLease }: RunningJob<null, string>): Promise<JobStep<string>> {
    const begun = performance.now();
    const { looked, last, ...unfilled } = await this.walk.unfilledAfter(cursor, LINKS_A_STEP);
    checkLease();
    await this.links.fill(unfilled);
    // Leaves the database to redirects half of the time.
    await sleep(performance.now() - begun);
    return { cursor: looked < LINKS_A_STEP ? null : last, done: looked };
  }
}
