import { Module } from '@nestjs/common';
import { JournalModule } from '../../platform/journal/journal.module';
import { CreationModule } from '../creation.module';
import { LinkChangeReader } from './change-wishes';
import { ChangesController } from './changes.controller';
import { ChangesRepository } from './changes.repository';
import { ChangesService } from './changes.service';
import { QuotaActivation } from './first-limit';

@Module({
  imports: [CreationModule, JournalModule],
  controllers: [ChangesController],
  providers: [LinkChangeReader, ChangesRepository, ChangesService, QuotaActivation],
})
export class ChangesModule {}
