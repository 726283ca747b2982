import { Module } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { AccountStoreModule } from '../accounts/account-store.module';
import { VisitorKeyRepository } from '../clicks/recorder/visitor-key.repository';
import { ClickDaysRepository } from '../clicks/store/click-days.repository';
import { ClickHomeRepository } from '../clicks/store/click-home.repository';
import { ClickStoreModule } from '../clicks/store/click-store.module';
import { ClickStoreRepository } from '../clicks/store/click-store.repository';
import { RecordingOptions } from '../config/options';
import { ImportedCountsModule } from '../stores/imported-counts/imported-counts.module';
import { MailModule } from '../infrastructure/mail/mail.module';
import { JobsRepositoryModule } from '../infrastructure/jobs/jobs.module';
import { LinksRepository } from '../stores/links/links.repository';
import { BlocklistModule } from '../blocklists/blocklists.module';
import { LinkCacheModule } from '../links/cache/link-cache.module';
import { LinkRemover } from '../links/removal/link-remover';
import { TagStoreModule } from '../stores/tags/tag-store.module';
import { ImportNodesModule } from './history/import-nodes.module';
import { LinkVisitImport } from './history/link-visit-import';
import { VisitImport } from './history/visit-import';
import { ImportNodes, VisitRecorder } from './history/visit-recorder';
import { ImportCredentials } from './store/import-credentials';
import { ImportJob, ImportReaders } from './running/import.job';
import { ImportMails } from './running/import-mails';
import { ImportRemains } from './running/import-remains';
import { ImportedDestinations } from './verdicts/imported-destinations';
import { ImportUndoJob } from './running/import-undo.job';
import { ProofStage, VisitsStage } from './running/proof.stage';
import { RowsStage } from './running/rows.stage';
import { RowJudge } from './verdicts/row-judge';
import { RowWriter } from './verdicts/row-writer';
import { ImportStoreModule } from './store/import-store.module';

@Module({
  imports: [
    AccountStoreModule,
    BlocklistModule,
    ClickStoreModule,
    ImportedCountsModule,
    ImportNodesModule,
    ImportStoreModule,
    JobsRepositoryModule,
    LinkCacheModule,
    MailModule,
    TagStoreModule,
  ],
  providers: [
    ImportCredentials,
    ImportJob,
    ImportMails,
    ImportedDestinations,
    ImportReaders,
    ImportRemains,
    ImportUndoJob,
    LinkRemover,
    LinkVisitImport,
    ProofStage,
    RowJudge,
    RowWriter,
    RowsStage,
    VisitImport,
    VisitsStage,
    {
      provide: VisitRecorder,
      inject: [
        RecordingOptions,
        getConnectionToken(),
        LinksRepository,
        ClickStoreRepository,
        ImportNodes,
      ],
      useFactory: (
        options: RecordingOptions,
        connection: Connection,
        links: LinksRepository,
        stores: ClickStoreRepository,
        nodes: ImportNodes,
      ): VisitRecorder =>
        new VisitRecorder(options, {
          links,
          stores,
          nodes,
          keys: new VisitorKeyRepository(connection),
          home: new ClickHomeRepository(connection),
          days: new ClickDaysRepository(connection),
        }),
    },
  ],
})
export class ImportJobModule {}
