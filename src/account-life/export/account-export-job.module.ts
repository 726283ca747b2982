import { Module } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { RecordedClicks } from '../../clicks/store/recorded-clicks';
import { StoredClicksRepository } from '../../clicks/store/stored-clicks.repository';
import { DatabaseUnavailableError } from '../../common/errors';
import { RecordingOptions } from '../../config/options';
import { LinkItemsService } from '../../links/making/link-items.service';
import { DomainStoreModule } from '../../stores/domains/domain-store.module';
import { ImportedCountsModule } from '../../stores/imported-counts/imported-counts.module';
import { LinkStoreModule } from '../../stores/links/link-store.module';
import { TagStoreModule } from '../../stores/tags/tag-store.module';
import { AccountExportJob } from './account-export.job';
import { ExportFilesModule } from './export-files.module';

@Module({
  imports: [
    DomainStoreModule,
    ExportFilesModule,
    ImportedCountsModule,
    LinkStoreModule,
    TagStoreModule,
  ],
  providers: [
    AccountExportJob,
    LinkItemsService,
    {
      provide: RecordedClicks,
      inject: [RecordingOptions, getConnectionToken()],
      useFactory: ({ clickHouse }: RecordingOptions, connection: Connection): RecordedClicks =>
        new RecordedClicks(() => new StoredClicksRepository(database(connection)), clickHouse),
    },
  ],
})
export class AccountExportJobModule {}

function database({ db }: Connection) {
  if (db === undefined) throw new DatabaseUnavailableError();
  return db;
}
