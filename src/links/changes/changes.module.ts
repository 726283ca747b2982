import { Module } from '@nestjs/common';
import { JournalModule } from '../../clicks/journal/journal.module';
import { CreationModule } from '../creation.module';
import { LinkChangeReader } from './link-changes';
import { ChangesController } from './changes.controller';
import { ChangesRepository } from './changes.repository';
import { ChangesService } from './changes.service';
import { QuotaActivation } from './changes.service';

@Module({
  imports: [CreationModule, JournalModule],
  controllers: [ChangesController],
  providers: [LinkChangeReader, ChangesRepository, ChangesService, QuotaActivation],
})
export class ChangesModule {}
