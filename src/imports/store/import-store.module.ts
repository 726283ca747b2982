import { Module } from '@nestjs/common';
import { storeMetadata } from '../../infrastructure/mongo/stores';
import { ImportRecord, ImportRowRecord, ImportRowSchema, ImportSchema } from './import.schema';
import {
  ImportedLinkRecord,
  ImportedLinkSchema,
  ImportedLinksRepository,
} from './imported-links.repository';
import { ImportRowsRepository } from './import-rows.repository';
import { ImportsRepository } from './imports.repository';

@Module(
  storeMetadata(
    [
      { name: ImportRecord.name, schema: ImportSchema },
      { name: ImportRowRecord.name, schema: ImportRowSchema },
      { name: ImportedLinkRecord.name, schema: ImportedLinkSchema },
    ],
    [ImportedLinksRepository, ImportRowsRepository, ImportsRepository],
  ),
)
export class ImportStoreModule {}
