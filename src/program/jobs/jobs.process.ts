import { AccountDeletionJobModule } from '../../account-deletion/account-deletion.module';
import { BackfillJobModule } from '../../links/backfill/link-backfill.job';
import { ListWalkJobModule } from '../../moderation/list-walk/list-walk.module';
import { ImportJobModule } from '../../imports/import-job.module';
import { runJobsProcess } from './run-jobs-process';

/**
 * The modules of features that provide kinds of job (JobKind), to run in this process. CONTRIBUTING.md
 * has the recipe.
 */
const KIND_MODULES = [
  AccountDeletionJobModule,
  BackfillJobModule,
  ImportJobModule,
  ListWalkJobModule,
] as const;

/** Entry of the jobs process: started by the primary, one a machine. */
void runJobsProcess(KIND_MODULES);
