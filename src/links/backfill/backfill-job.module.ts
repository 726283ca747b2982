import { Module } from '@nestjs/common';
import { LinkStoreModule } from '../../stores/links/link-store.module';
import { LinkBackfillJob } from './link-backfill.job';

@Module({ imports: [LinkStoreModule], providers: [LinkBackfillJob] })
export class BackfillJobModule {}
