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

  /** Returns advice for the operator if this machine records no clicks; otherwise null. */
  async advice(): Promise<string | null> {
    const { isFailing: isJournalFailing } = this.journal;
    const advice = this.primary.call('recording.advice', { isJournalFailing }, ADVICE_MS);
    // Ignores a missing reply, because a busy primary does not mean that recording has stopped.
    return withTimeout(advice, ADVICE_MS, () => null).catch(() => null);
  }
}
