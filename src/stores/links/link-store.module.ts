import { Module } from '@nestjs/common';
import { getConnectionToken, MongooseModule } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { DatabaseReadiness } from '../../infrastructure/mongo/write-barrier';
import { AccountLinkReads } from './account-link-reads.repository';
import { ClosedOwners } from './closed-owners';
import { LinkReads } from './link-reads.repository';
import { LinkSearch } from './link-search.repository';
import { LinkTotalReads } from './link-total-reads.repository';
import { LinkWalk } from './link-walk.repository';
import { LINK_MODEL, LinkSchema } from './link.schema';
import { LinksRepository } from './links.repository';
import { RemovedLinksRepository } from './removed-links.repository';

const ON_CONNECTION = [
  AccountLinkReads,
  LinkReads,
  LinkSearch,
  LinkTotalReads,
  LinkWalk,
  RemovedLinksRepository,
];

@Module({
  imports: [MongooseModule.forFeature([{ name: LINK_MODEL, schema: LinkSchema }])],
  providers: [
    ...ON_CONNECTION.map((Repository) => ({
      provide: Repository,
      inject: [getConnectionToken()],
      useFactory: (connection: Connection) => new Repository(connection),
    })),
    {
      provide: LinksRepository,
      inject: [getConnectionToken(), DatabaseReadiness],
      useFactory: (connection: Connection, readiness: DatabaseReadiness): LinksRepository =>
        new LinksRepository(connection, () => readiness.refuseWritesWithoutIndexes()),
    },
  ],
  exports: [...ON_CONNECTION, LinksRepository],
})
export class LinkStoreModule {}

@Module({ providers: [ClosedOwners], exports: [ClosedOwners] })
export class ClosedOwnersModule {}
