import { Module } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { NodeLeaseRepository } from '../../clicks/recorder/node-lease.repository';
import { ClickStoreModule } from '../../clicks/store/click-store.module';
import { ClickStoreRepository } from '../../clicks/store/click-store.repository';
import { ImportedLinksRepository } from '../store/imported-links.repository';
import { ImportsRepository } from '../store/imports.repository';
import { ImportNodes } from './import-nodes';
import { ImportStoreModule } from '../store/import-store.module';

@Module({
  imports: [ClickStoreModule, ImportStoreModule],
  providers: [
    {
      provide: ImportNodes,
      inject: [
        ImportsRepository,
        ImportedLinksRepository,
        ClickStoreRepository,
        getConnectionToken(),
      ],
      useFactory: (
        imports: ImportsRepository,
        imported: ImportedLinksRepository,
        stores: ClickStoreRepository,
        connection: Connection,
      ): ImportNodes =>
        new ImportNodes(imports, imported, stores, new NodeLeaseRepository(connection)),
    },
  ],
  exports: [ImportNodes],
})
export class ImportNodesModule {}
