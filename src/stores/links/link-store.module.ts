import { Module } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { AliasOptions } from '../../config/options';
import { onConnection, storeMetadata } from '../../infrastructure/mongo/stores';
import { DatabaseReadiness } from '../../infrastructure/mongo/write-barrier';
import { AccountLinkReads } from './account-link-reads.repository';
import { AlikeLinks } from './alike-links.repository';
import {
  BlockNoticeRecord,
  BlockNoticeSchema,
  BlockNoticesRepository,
} from './block-notices.repository';
import { ClosedOwners } from './closed-owners';
import { LinkReads } from './link-reads.repository';
import { LinkSearch } from './link-search.repository';
import { LinkTotalReads } from './link-total-reads.repository';
import { LinkWalk } from './link-walk.repository';
import { LINK_MODEL, LinkSchema } from './link.schema';
import { LinksRepository } from './links.repository';
import { REMOVED_LINK_MODEL, RemovedLinkSchema } from './removed-link.schema';
import { RemovedLinksRepository } from './removed-links.repository';

@Module(
  storeMetadata(
    [
      { name: LINK_MODEL, schema: LinkSchema },
      { name: REMOVED_LINK_MODEL, schema: RemovedLinkSchema },
      { name: BlockNoticeRecord.name, schema: BlockNoticeSchema },
    ],
    [
      BlockNoticesRepository,
      ClosedOwners,
      ...onConnection(AccountLinkReads, AlikeLinks, LinkSearch, LinkTotalReads),
      ...[LinkReads, LinkWalk].map((Repository) => ({
        provide: Repository,
        inject: [getConnectionToken(), AliasOptions],
        useFactory: (connection: Connection, { ignoreCase }: AliasOptions) =>
          new Repository(connection, ignoreCase),
      })),
      ...onConnection(RemovedLinksRepository),
      {
        provide: LinksRepository,
        inject: [getConnectionToken(), DatabaseReadiness, AliasOptions],
        useFactory: (
          connection: Connection,
          readiness: DatabaseReadiness,
          { ignoreCase }: AliasOptions,
        ): LinksRepository =>
          new LinksRepository(connection, () => readiness.refuseWritesWithoutIndexes(), ignoreCase),
      },
    ],
  ),
)
export class LinkStoreModule {}
