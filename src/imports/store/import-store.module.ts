import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { ImportRecord, ImportRowRecord, ImportRowSchema, ImportSchema } from './import.schema';
import {
  ImportedLinkRecord,
  ImportedLinkSchema,
  ImportedLinksRepository,
} from './imported-links.repository';
import { ImportRowsRepository } from './import-rows.repository';
import { ImportsRepository } from './imports.repository';

@Module({
  imports: [
    MongooseModule.forFeature([
      { name: ImportRecord.name, schema: ImportSchema },
      { name: ImportRowRecord.name, schema: ImportRowSchema },
      { name: ImportedLinkRecord.name, schema: ImportedLinkSchema },
    ]),
  ],
  providers: [ImportedLinksRepository, ImportRowsRepository, ImportsRepository],
  exports: [ImportedLinksRepository, ImportRowsRepository, ImportsRepository],
})
export class ImportStoreModule {}
