import { Module, type OnApplicationBootstrap } from '@nestjs/common';
import { storeMetadata } from '../mongo/stores';
import { JobRecord, JobSchema } from './job.schema';
import { JobsRepository } from './jobs.repository';
import { JobStarter } from './job-starter';

@Module(storeMetadata([{ name: JobRecord.name, schema: JobSchema }], [JobsRepository]))
export class JobsRepositoryModule {}

@Module({
  imports: [JobsRepositoryModule],
  providers: [JobStarter],
  exports: [JobsRepositoryModule, JobStarter],
})
export class JobStarterModule implements OnApplicationBootstrap {
  constructor(private readonly starter: JobStarter) {}

  onApplicationBootstrap(): void {
    this.starter.continueUnfinished();
  }
}
