import { Module } from '@nestjs/common';
import { AuditTrailModule } from '../../audit-trail/audit-trail.module';
import { JobStarterModule } from '../../infrastructure/jobs/jobs.module';
import { LinkStoreModule } from '../../stores/links/link-store.module';
import { BlocklistModule } from '../../blocklists/blocklists.module';
import { ListWalkJob } from './list-walk.job';
import { ListWalkStarter } from './list-walk.starter';
import { ListWalksRepository } from './list-walks.repository';

@Module({
  imports: [BlocklistModule, JobStarterModule, LinkStoreModule],
  providers: [ListWalkStarter, ListWalksRepository],
})
export class ListWalkModule {}

/** Runs blocklist checks on all links in the jobs process. */
@Module({
  imports: [AuditTrailModule, BlocklistModule, LinkStoreModule],
  providers: [ListWalkJob, ListWalksRepository],
})
export class ListWalkJobModule {}
