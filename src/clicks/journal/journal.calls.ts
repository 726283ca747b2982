export const CATCH_UP_MS = 3000;

declare module '../../processes/rpc/primary-calls' {
  interface PrimaryCalls {
    'journal.catch-up': { request: null; response: undefined };
    /** Advice while this machine records no clicks; null otherwise. */
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
  /** Files in quarantine. */
  quarantined: number;
  oldestMs: number | null;
  lastBatchSize: number;
  lastBatchMs: number;
  batches: number;
  clicks: number;
  batchMs: number;
  /** Whether the last write to ClickHouse succeeded; null without it. */
  clickHouseUp: boolean | null;
  /** Advice while recording fails; null otherwise. */
  advice: string | null;
}

export interface RecorderCalls {
  drain: { request: { readonly timeoutMs: number }; response: undefined };
  status: { request: null; response: JournalMetrics };
}
