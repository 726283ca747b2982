import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { ChangeBus } from '../../infrastructure/change-bus/bus';
import { CATCH_UP_MS } from './journal.calls';
import { PrimaryClient } from '../../processes/rpc/primary-client';
import { JournalWriter } from './journal.writer';

/** Time for visits in progress, such as password checks, to reach the journal. */
const VISIT_IN_FLIGHT_MS = 200;
/** Time for other machines to record their clicks. This machine cannot verify that they have. */
const ELSEWHERE_MS = 1500;

@Injectable()
export class JournalCatchUp {
  constructor(
    private readonly bus: ChangeBus,
    private readonly primary: PrimaryClient,
    journal: JournalWriter,
  ) {
    bus.subscribe('journal.seal', () => journal.seal());
  }

  /** Waits until this machine's clicks are recorded; rejects on timeout. */
  async run(): Promise<void> {
    await sleep(VISIT_IN_FLIGHT_MS);
    await this.bus.publish('journal.seal', null);
    await Promise.all([
      this.primary.call('journal.catch-up', null, CATCH_UP_MS * 2),
      this.bus.spansMachines ? sleep(ELSEWHERE_MS) : undefined,
    ]);
  }
}
