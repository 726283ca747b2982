import type { JournalMetrics } from '../../../clicks/journal/journal.calls';

export interface MachineState {
  /** Unix milliseconds. */
  readonly startedAt: number;
  /** Null while the recorder process does not respond. */
  readonly journal: JournalMetrics | null;
}

declare module '../../../processes/rpc/primary-calls' {
  interface PrimaryCalls {
    'machine.state': { request: null; response: MachineState };
  }
}
