import { join } from 'node:path';
import { Module } from '@nestjs/common';
import { DataOptions } from '../../config/options';
import { AppLog } from '../../common/log';
import { JournalCatchUp } from './journal-catch-up';
import { JournalWriter } from './journal.writer';
import { RecordingState } from './recording-state';

@Module({
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
