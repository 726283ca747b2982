import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { AccountCounts } from './account-counts';
import { ImportedCountsRepository } from './imported-counts.repository';
import {
  CountsRevisionRecord,
  CountsRevisionSchema,
  ImportedCountsRecord,
  ImportedCountsSchema,
} from './imported-counts.schema';

@Module({
  imports: [
    MongooseModule.forFeature([
      { name: ImportedCountsRecord.name, schema: ImportedCountsSchema },
      { name: CountsRevisionRecord.name, schema: CountsRevisionSchema },
    ]),
  ],
  providers: [AccountCounts, ImportedCountsRepository],
  exports: [AccountCounts, ImportedCountsRepository],
})
export class ImportedCountsModule {}
