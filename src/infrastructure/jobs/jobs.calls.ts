declare module '../../processes/rpc/primary-calls' {
  interface PrimaryCalls {
    /** There is a job to run: starts the jobs process, or has it look at once. */
    'jobs.wake': { request: null; response: undefined };
  }
}

/** Figures of the jobs process since its start. */
export interface JobsMetrics {
  running: number;
  steps: number;
  stepMs: number;
  /** Steps that failed and were repeated. */
  retries: number;
  done: number;
  failed: number;
}

/** Calls of the primary to the jobs process. */
export interface JobsCalls {
  /** Has it look for jobs at once. */
  wake: { request: null; response: undefined };
  status: { request: null; response: JobsMetrics };
}
