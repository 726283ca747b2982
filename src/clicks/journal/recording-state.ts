import { Injectable } from '@nestjs/common';
import { withTimeout } from '../../common/with-timeout';
import { PrimaryClient } from '../../processes/rpc/primary-client';
import './journal.calls';
import { JournalWriter } from './journal.writer';

const ADVICE_MS = 2000;

@Injectable()
export class RecordingState {
  constructor(
    private readonly primary: PrimaryClient,
    private readonly journal: JournalWriter,
  ) {
    primary.handlers.handle('journal.failing', () => journal.isFailing);
  }

  /** Advice while this machine records no clicks; null otherwise. */
  async advice(): Promise<string | null> {
    const { isFailing: isJournalFailing } = this.journal;
    const advice = this.primary.call('recording.advice', { isJournalFailing }, ADVICE_MS);
    // A busy primary does not mean that recording has stopped.
    return withTimeout(advice, ADVICE_MS, () => null).catch(() => null);
  }
}
