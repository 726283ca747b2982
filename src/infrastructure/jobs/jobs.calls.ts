declare module '../../processes/rpc/primary-calls' {
  interface PrimaryCalls {
    /** Starts the jobs process, or makes it claim jobs immediately. */
    'jobs.wake': { request: null; response: undefined };
  }
}

export interface JobsMetrics {
  running: number;
  steps: number;
  stepMs: number;
  retries: number;
  done: number;
  failed: number;
}

export interface JobsCalls {
  wake: { request: null; response: undefined };
  status: { request: null; response: JobsMetrics };
}
