import { Module } from '@nestjs/common';
import { storeMetadata } from '../../infrastructure/mongo/stores';
import { UtmTemplateRecord, UtmTemplateSchema } from './utm-template.schema';
import { UtmTemplatesRepository } from './utm-templates.repository';

@Module(
  storeMetadata(
    [{ name: UtmTemplateRecord.name, schema: UtmTemplateSchema }],
    [UtmTemplatesRepository],
  ),
)
export class UtmStoreModule {}
