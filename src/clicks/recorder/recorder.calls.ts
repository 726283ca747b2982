/** How long the recorder may take to record what waits, when the primary has it caught up. */
export const CATCH_UP_MS = 3000;

declare module '../../processes/rpc/primary-calls' {
  interface PrimaryCalls {
    /** Has the recorder record every click that is journalled. */
    'journal.catch-up': { request: null; response: undefined };
  }
}

/** State of the recorder and of the journal that waits for it. */
export interface JournalMetrics {
  files: number;
  bytes: number;
  /** Files that were put aside for a human. */
  quarantined: number;
  oldestMs: number | null;
  lastBatchSize: number;
  lastBatchMs: number;
  batches: number;
  clicks: number;
  batchMs: number;
  /** Whether ClickHouse took what it was last given; null where clicks are not kept there. */
  clickHouseUp: boolean | null;
}

/** Calls of the primary to the recorder. */
export interface RecorderCalls {
  /** Records what is journalled, as far as the time goes. */
  drain: { request: { readonly timeoutMs: number }; response: undefined };
  status: { request: null; response: JournalMetrics };
}
