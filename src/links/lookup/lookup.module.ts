import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { LinkCache } from './link-directory';
import { LinkLookupRepository } from './link.repository';
import { LinkRecord, LinkSchema } from './link.schema';

@Module({
  imports: [MongooseModule.forFeature([{ name: LinkRecord.name, schema: LinkSchema }])],
  providers: [LinkLookupRepository, LinkCache],
  exports: [LinkLookupRepository, LinkCache, MongooseModule],
})
export class LinkCacheModule {}
