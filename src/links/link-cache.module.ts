import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { ChangeBusModule } from '../infrastructure/change-bus/change-bus.module';
import { LinkCache } from './link-cache';
import { LinkLookupRepository } from './link-lookup.repository';
import { LinkRecord, LinkSchema } from './link.schema';

@Module({
  imports: [
    ChangeBusModule,
    MongooseModule.forFeature([{ name: LinkRecord.name, schema: LinkSchema }]),
  ],
  providers: [LinkLookupRepository, LinkCache],
  exports: [LinkLookupRepository, LinkCache, MongooseModule],
})
export class LinkCacheModule {}
