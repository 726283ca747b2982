/**
 * Calls of web processes to the primary, by topic. Each is declared by its owner, beside the code
 * that answers: `declare module '…/processes/rpc/primary-calls' { interface PrimaryCalls { … } }`.
 *
 * Bodies are JSON values. All processes run the same release: nothing here has to be compatible
 * with another one.
 */
export interface PrimaryCalls {
  /** A worker makes itself known; from then on the primary tells it of changes. */
  hello: { request: null; response: undefined };
}

/** Calls of the primary to web processes; declared like PrimaryCalls. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- filled where calls are declared
export interface WebCalls {}
