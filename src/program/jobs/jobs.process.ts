import '../../processes/bundle';
import { AccountDeletionJobModule } from '../../account-deletion/account-deletion.module';
import { ListWalkJobModule } from '../../moderation/list-walk/list-walk.module';
import { ImportJobModule } from '../../imports/import-job.module';
import { runJobsProcess } from './run-jobs-process';
import { BackfillJobModule } from '../../links/backfill/backfill-job.module';

/** Modules that provide a JobKind; see the recipe in CONTRIBUTING.md. */
const KIND_MODULES = [
  AccountDeletionJobModule,
  BackfillJobModule,
  ImportJobModule,
  ListWalkJobModule,
] as const;

/** Started by the primary, once per machine. */
void runJobsProcess(KIND_MODULES);
