import { Module } from '@nestjs/common';
import { storeMetadata } from '../../infrastructure/mongo/stores';
import { AccountTags } from './account-tags';
import { TagRecord, TagSchema } from './tag.schema';
import { TagsRepository } from './tags.repository';

@Module(storeMetadata([{ name: TagRecord.name, schema: TagSchema }], [AccountTags, TagsRepository]))
export class TagStoreModule {}
