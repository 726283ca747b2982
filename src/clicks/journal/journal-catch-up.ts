import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { ChangeBus } from '../../infrastructure/change-bus/bus';
import { CATCH_UP_MS } from '../recorder/recorder.calls';
import { PrimaryClient } from '../../processes/rpc/primary-client';
import { JournalWriter } from './journal.writer';

/** Visits that are being answered, a password check at the longest, reach the journal within this. */
const VISIT_IN_FLIGHT_MS = 200;
/** Other machines are not asked: they seal when told to and record several times a second. */
const ELSEWHERE_MS = 1500;

/** Has everything that was answered so far recorded. */
@Injectable()
export class JournalCatchUp {
  constructor(
    private readonly bus: ChangeBus,
    private readonly primary: PrimaryClient,
    journal: JournalWriter,
  ) {
    bus.subscribe('journal.seal', () => journal.seal());
  }

  /** Resolves when the clicks of this machine are recorded; rejects when that takes too long. */
  async run(): Promise<void> {
    await sleep(VISIT_IN_FLIGHT_MS);
    await this.bus.publish('journal.seal', null);
    await Promise.all([
      this.primary.call('journal.catch-up', null, CATCH_UP_MS * 2),
      this.bus.spansMachines ? sleep(ELSEWHERE_MS) : undefined,
    ]);
  }
}
