export const CATCH_UP_MS = 3000;

declare module '../../processes/rpc/primary-calls' {
  interface PrimaryCalls {
    'journal.catch-up': { request: null; response: undefined };
    /** Advice for the operator if this machine records no clicks; otherwise null. */
    'recording.advice': {
      request: { readonly isJournalFailing: boolean };
      response: string | null;
    };
  }
  interface WebCalls {
    'journal.failing': { request: null; response: boolean | undefined };
  }
}

export interface JournalMetrics {
  files: number;
  bytes: number;
  /** Number of files in quarantine. */
  quarantined: number;
  oldestMs: number | null;
  lastBatchSize: number;
  lastBatchMs: number;
  batches: number;
  clicks: number;
  batchMs: number;
  /** Whether the last write to ClickHouse succeeded; null without ClickHouse. */
  clickHouseUp: boolean | null;
  /** Advice for the operator if recording fails; otherwise null. */
  advice: string | null;
}

export interface RecorderCalls {
  drain: { request: { readonly timeoutMs: number }; response: undefined };
  status: { request: null; response: JournalMetrics };
}
