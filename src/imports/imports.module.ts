import { Module } from '@nestjs/common';
import { FilesModule } from '../infrastructure/files/files.module';
import { JobStarterModule, JobsRepositoryModule } from '../infrastructure/jobs/jobs.module';
import { OutboundModule } from '../infrastructure/outbound/outbound.module';
import { SealedValuesModule } from '../infrastructure/sealed-values/sealed-values.module';
import { ApiRequests } from './api/api-requests';
import { ImportNodesModule } from './history/import-nodes.module';
import { ImportCredentials } from './api/import-credentials';
import { ImportsController } from './imports.controller';
import { ImportRemains } from './import-remains';
import { ImportSweep } from './import-sweep';
import { ImportStoreModule } from './imports.repository';
import { ImportsService } from './imports.service';
import { ClosedOwnersModule } from '../stores/links/link-store.module';

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
