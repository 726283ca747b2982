import { Module } from '@nestjs/common';
import { FilesModule } from '../infrastructure/files/files.module';
import { JobStarterModule } from '../infrastructure/jobs/job-starter';
import { JobsRepositoryModule } from '../infrastructure/jobs/jobs.repository';
import { ImportsController } from './imports.controller';
import { ImportSweep } from './import-sweep';
import { ImportStoreModule } from './imports.repository';
import { ImportsService } from './imports.service';

@Module({
  imports: [FilesModule, ImportStoreModule, JobStarterModule, JobsRepositoryModule],
  controllers: [ImportsController],
  providers: [ImportSweep, ImportsService],
})
export class ImportsModule {}
