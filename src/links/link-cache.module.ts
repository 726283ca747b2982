import { Module } from '@nestjs/common';
import { getConnectionToken, MongooseModule } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { ChangeBusModule } from '../infrastructure/change-bus/change-bus.module';
import { DatabaseReadiness } from '../infrastructure/mongo/write-barrier';
import { LinkCache } from './link-cache';
import { LINK_MODEL, LinkSchema } from '../link-store/link.schema';
import { LinksRepository } from '../link-store/links.repository';

/** The links and their cache: all that a redirect needs of them, without any HTTP. */
@Module({
  imports: [ChangeBusModule, MongooseModule.forFeature([{ name: LINK_MODEL, schema: LinkSchema }])],
  providers: [
    {
      provide: LinksRepository,
      inject: [getConnectionToken(), DatabaseReadiness],
      useFactory: (connection: Connection, readiness: DatabaseReadiness): LinksRepository =>
        new LinksRepository(connection, () => readiness.refuseWritesWithoutIndexes()),
    },
    LinkCache,
  ],
  exports: [LinksRepository, LinkCache],
})
export class LinkCacheModule {}
