import { join } from 'node:path';
import { Module } from '@nestjs/common';
import { DataOptions } from '../../config/options';
import { AppLog } from '../../common/log';
import { ChangeBusModule } from '../../infrastructure/change-bus/change-bus.module';
import { PrimaryModule } from '../../processes/rpc/primary.module';
import { JournalCatchUp } from './journal-catch-up';
import { JournalWriter } from './journal.writer';
import { RecordingState } from './recording-state';

@Module({
  imports: [ChangeBusModule, PrimaryModule],
  providers: [
    JournalCatchUp,
    RecordingState,
    {
      provide: JournalWriter,
      inject: [DataOptions, AppLog],
      useFactory: (data: DataOptions, log: AppLog) =>
        new JournalWriter({
          directory: join(data.dir, 'journal'),
          sync: data.journalSync,
          logger: log,
        }),
    },
  ],
  exports: [JournalCatchUp, JournalWriter, RecordingState],
})
export class JournalModule {}
