import { Module } from '@nestjs/common';
import { JobStarterModule } from '../infrastructure/jobs/jobs.module';
import { JobsController } from './jobs.controller';
import { JobsService } from './jobs.service';

@Module({
  imports: [JobStarterModule],
  controllers: [JobsController],
  providers: [JobsService],
})
export class JobsModule {}
