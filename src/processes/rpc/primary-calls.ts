/**
 * Calls from web processes to the primary, declared next to their handlers:
 * `declare module '…/processes/rpc/primary-calls' { interface PrimaryCalls { … } }`.
 * Bodies are JSON. All processes run the same release, so the formats may change.
 */
export interface PrimaryCalls {
  /** Registers a worker for change notifications. */
  hello: { request: null; response: undefined };
}

/** Calls from the primary to web processes, declared like PrimaryCalls. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- filled where calls are declared
export interface WebCalls {}
