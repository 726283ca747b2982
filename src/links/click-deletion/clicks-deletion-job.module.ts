import { Module } from '@nestjs/common';
import { ClickStoreModule } from '../../clicks/store/click-store.module';
import { ClickHouseModule } from '../../infrastructure/click-house/click-house.module';
import { ImportedCountsModule } from '../../stores/imported-counts/imported-counts.module';
import { LinkCacheModule } from '../cache/link-cache.module';
import { ClickRemover } from './click-remover';
import { ClicksDeletionJob } from './clicks-deletion.job';

@Module({
  imports: [ClickHouseModule, ClickStoreModule, ImportedCountsModule, LinkCacheModule],
  providers: [ClickRemover, ClicksDeletionJob],
})
export class ClicksDeletionJobModule {}
