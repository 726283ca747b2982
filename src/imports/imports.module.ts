import { Module } from '@nestjs/common';
import { FilesModule } from '../infrastructure/files/files.module';
import { JobStarterModule } from '../infrastructure/jobs/job-starter';
import { JobsRepositoryModule } from '../infrastructure/jobs/jobs.repository';
import { OutboundModule } from '../infrastructure/outbound/outbound.client';
import { SealedValuesModule } from '../infrastructure/sealed-values/sealed-values';
import { ClosedOwnersModule } from '../stores/links/closed-owners';
import { ApiRequests } from './api-requests';
import { ImportNodesModule } from './history/import-nodes.module';
import { ImportCredentials } from './store/import-credentials';
import { ImportsController } from './imports.controller';
import { ImportRemains } from './running/import-remains';
import { ImportSweep } from './import-sweep';
import { ImportsService } from './imports.service';
import { ImportStoreModule } from './store/import-store.module';

@Module({
  imports: [
    ClosedOwnersModule,
    FilesModule,
    ImportNodesModule,
    ImportStoreModule,
    JobStarterModule,
    JobsRepositoryModule,
    OutboundModule,
    SealedValuesModule,
  ],
  controllers: [ImportsController],
  providers: [ApiRequests, ImportCredentials, ImportRemains, ImportSweep, ImportsService],
})
export class ImportsModule {}
