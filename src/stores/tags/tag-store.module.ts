import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { ChangeBusModule } from '../../infrastructure/change-bus/change-bus.module';
import { AccountTags } from './account-tags';
import { TagRecord, TagSchema } from './tag.schema';
import { TagsRepository } from './tags.repository';

@Module({
  imports: [
    ChangeBusModule,
    MongooseModule.forFeature([{ name: TagRecord.name, schema: TagSchema }]),
  ],
  providers: [AccountTags, TagsRepository],
  exports: [AccountTags, TagsRepository],
})
export class TagStoreModule {}
