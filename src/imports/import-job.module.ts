import { Module } from '@nestjs/common';
import { ImportedCountsModule } from '../imported-counts/imported-counts.module';
import { BlocklistModule } from '../links/blocklist.module';
import { LinkCacheModule } from '../links/link-cache.module';
import { TagStoreModule } from '../tag-store/tag-store.module';
import { ImportJob } from './import.job';
import { ImportStoreModule } from './imports.repository';
import { RowJudge } from './row-judge';

/** The part of imports that the jobs process has. */
@Module({
  imports: [
    BlocklistModule,
    ImportedCountsModule,
    ImportStoreModule,
    LinkCacheModule,
    TagStoreModule,
  ],
  providers: [ImportJob, RowJudge],
})
export class ImportJobModule {}
