import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { BackgroundModule } from '../../common/background-tasks.module';
import { JobRecord, JobSchema } from './job.schema';
import { JobsRepository } from './jobs.repository';
import { PrimaryModule } from '../../processes/rpc/primary.module';
import { JobStarter } from './job-starter';

@Module({
  imports: [MongooseModule.forFeature([{ name: JobRecord.name, schema: JobSchema }])],
  providers: [JobsRepository],
  exports: [JobsRepository],
})
export class JobsRepositoryModule {}

@Module({
  imports: [BackgroundModule, JobsRepositoryModule, PrimaryModule],
  providers: [JobStarter],
  exports: [JobStarter],
})
export class JobStarterModule {}
