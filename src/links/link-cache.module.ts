import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { LinkCache } from './link-cache';
import { LinkLookupRepository } from './link-lookup.repository';
import { LinkRecord, LinkSchema } from './link.schema';

@Module({
  imports: [MongooseModule.forFeature([{ name: LinkRecord.name, schema: LinkSchema }])],
  providers: [LinkLookupRepository, LinkCache],
  exports: [LinkLookupRepository, LinkCache, MongooseModule],
})
export class LinkCacheModule {}
