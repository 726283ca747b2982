import { Module } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { NodeLeaseRepository } from '../../clicks/recorder/node-lease.repository';
import { ClickStoreModule } from '../../clicks/store/click-store.module';
import { ClickStoreRepository } from '../../clicks/store/click-store.repository';
import { ImportedLinksRepository } from '../store/imported-links.repository';
import { ImportRowsRepository } from '../store/import-rows.repository';
import { ImportNodes } from './visit-recorder';
import { ImportStoreModule } from '../store/import-store.module';

@Module({
  imports: [ClickStoreModule, ImportStoreModule],
  providers: [
    {
      provide: ImportNodes,
      inject: [
        ImportRowsRepository,
        ImportedLinksRepository,
        ClickStoreRepository,
        getConnectionToken(),
      ],
      useFactory: (
        rows: ImportRowsRepository,
        imported: ImportedLinksRepository,
        stores: ClickStoreRepository,
        connection: Connection,
      ): ImportNodes =>
        new ImportNodes(rows, imported, stores, new NodeLeaseRepository(connection)),
    },
  ],
  exports: [ImportNodes],
})
export class ImportNodesModule {}
