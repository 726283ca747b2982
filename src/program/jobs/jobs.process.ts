import '../../processes/bundle';
import { AccountDeletionJobModule } from '../../account-life/account-deletion.module';
import { AccountExportJobModule } from '../../account-life/export/account-export-job.module';
import { ListWalkJobModule } from '../../moderation/list-walk/list-walk.module';
import { ImportJobModule } from '../../imports/import-job.module';
import { runJobsProcess } from './run-jobs-process';
import { ClicksDeletionJobModule } from '../../links/click-deletion/clicks-deletion-job.module';
import { BackfillJobModule } from '../../links/backfill/backfill-job.module';

/** Modules that provide a JobKind; CONTRIBUTING.md explains how to add one. */
const KIND_MODULES = [
  AccountDeletionJobModule,
  AccountExportJobModule,
  BackfillJobModule,
  ClicksDeletionJobModule,
  ImportJobModule,
  ListWalkJobModule,
] as const;

/** The primary starts this process once per machine. */
void runJobsProcess(KIND_MODULES);
