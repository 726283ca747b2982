import { Module } from '@nestjs/common';
import { JobStarterModule } from '../infrastructure/jobs/job-starter';
import { JobsRepositoryModule } from '../infrastructure/jobs/jobs.repository';
import { JobsController } from './jobs.controller';
import { JobsService } from './jobs.service';

@Module({
  imports: [JobsRepositoryModule, JobStarterModule],
  controllers: [JobsController],
  providers: [JobsService],
})
export class JobsModule {}
