import type { JournalMetrics } from '../../../clicks/recorder/recorder.calls';

/** The primary's knowledge of its machine, for the overview of admins. */
export interface MachineState {
  /** When the service was started, in milliseconds since 1970. */
  readonly startedAt: number;
  /** Null while the recorder does not answer. */
  readonly journal: JournalMetrics | null;
}

declare module '../../../processes/rpc/primary-calls' {
  interface PrimaryCalls {
    'machine.state': { request: null; response: MachineState };
  }
}
