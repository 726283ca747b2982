import { Module } from '@nestjs/common';
import { ImportedCountsModule } from '../imported-counts/imported-counts.module';
import { LinkStoreModule } from '../link-store/link-store.module';
import { BlocklistModule } from '../links/blocklist.module';
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
    LinkStoreModule,
    TagStoreModule,
  ],
  providers: [ImportJob, RowJudge],
})
export class ImportJobModule {}
