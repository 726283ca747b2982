import { Module } from '@nestjs/common';
import { FilesModule } from '../infrastructure/files/files.module';
import { JobStarterModule } from '../infrastructure/jobs/jobs.module';
import { OutboundModule } from '../infrastructure/outbound/outbound.module';
import { SealedValuesModule } from '../infrastructure/sealed-values/sealed-values.module';
import { LinkStoreModule } from '../stores/links/link-store.module';
import { ApiRequests } from './api-requests';
import { ImportNodesModule } from './history/import-nodes.module';
import { ImportCredentials } from './store/import-credentials';
import { ImportsController } from './imports.controller';
import { ImportRemains } from './running/import-remains';
import { ImportLimits } from './import-limits';
import { ImportSweep } from './import-sweep';
import { ImportUndoService } from './import-undo.service';
import { ImportsService } from './imports.service';
import { ImportStoreModule } from './store/import-store.module';

@Module({
  imports: [
    LinkStoreModule,
    FilesModule,
    ImportNodesModule,
    ImportStoreModule,
    JobStarterModule,
    OutboundModule,
    SealedValuesModule,
  ],
  controllers: [ImportsController],
  providers: [
    ApiRequests,
    ImportCredentials,
    ImportLimits,
    ImportRemains,
    ImportSweep,
    ImportUndoService,
    ImportsService,
  ],
  exports: [ImportsService],
})
export class ImportsModule {}
