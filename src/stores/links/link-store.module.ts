import { Module } from '@nestjs/common';
import { getConnectionToken, MongooseModule } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { DatabaseReadiness } from '../../infrastructure/mongo/write-barrier';
import { LINK_MODEL, LinkSchema } from './link.schema';
import { LinksRepository } from './links.repository';
import { ClosedOwners } from './closed-owners';

@Module({
  imports: [MongooseModule.forFeature([{ name: LINK_MODEL, schema: LinkSchema }])],
  providers: [
    {
      provide: LinksRepository,
      inject: [getConnectionToken(), DatabaseReadiness],
      useFactory: (connection: Connection, readiness: DatabaseReadiness): LinksRepository =>
        new LinksRepository(connection, () => readiness.refuseWritesWithoutIndexes()),
    },
  ],
  exports: [LinksRepository],
})
export class LinkStoreModule {}

@Module({ providers: [ClosedOwners], exports: [ClosedOwners] })
export class ClosedOwnersModule {}
