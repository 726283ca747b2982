import { Module } from '@nestjs/common';
import { storeMetadata } from '../../infrastructure/mongo/stores';
import { AccountCounts } from './account-counts';
import { ImportedCountsRepository } from './imported-counts.repository';
import {
  CountsRevisionRecord,
  CountsRevisionSchema,
  ImportedCountsRecord,
  ImportedCountsSchema,
} from './imported-counts.schema';

@Module(
  storeMetadata(
    [
      { name: ImportedCountsRecord.name, schema: ImportedCountsSchema },
      { name: CountsRevisionRecord.name, schema: CountsRevisionSchema },
    ],
    [AccountCounts, ImportedCountsRepository],
  ),
)
export class ImportedCountsModule {}
