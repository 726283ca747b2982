import { Module } from '@nestjs/common';
import { AuditTrailModule } from '../../audit-trail/audit-trail.module';
import { ChangeBusModule } from '../../infrastructure/change-bus/change-bus.module';
import { LinkStoreModule } from '../../link-store/link-store.module';
import { BlocklistModule } from '../blocklist.module';
import { ListWalkJob } from './list-walk.job';
import { ListWalksRepository } from './list-walks.repository';

/** The part of walks that the jobs process has. */
@Module({
  imports: [AuditTrailModule, BlocklistModule, ChangeBusModule, LinkStoreModule],
  providers: [ListWalkJob, ListWalksRepository],
})
export class ListWalkJobModule {}
