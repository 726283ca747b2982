import { JOB_TIMES } from '../../../src/infrastructure/jobs/job-run';
import { runJobsProcess } from '../../../src/program/jobs/run-jobs-process';
import { TestJobsModule } from '../jobs/test-jobs.module';
import { QUICK_TIMES } from '../jobs/quick-times';
import { BackfillJobModule } from '../../../src/links/backfill/backfill-job.module';

/** Jobs process with extra job kinds and shorter leases. */
const times = process.argv.includes('real-times') ? JOB_TIMES : QUICK_TIMES;

void runJobsProcess([TestJobsModule, BackfillJobModule], times);
