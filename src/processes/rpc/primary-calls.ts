/**
 * What web processes ask of the primary, by topic. Who answers a call declares it, beside the code
 * that answers: `declare module '…/processes/rpc/primary-calls' { interface PrimaryCalls { … } }`.
 *
 * Bodies are JSON values. All processes run the same release: nothing here has to be compatible
 * with another one.
 */
export interface PrimaryCalls {
  /** A worker makes itself known; from then on the primary tells it of changes. */
  hello: { request: null; response: undefined };
}

/** What the primary asks of web processes; declared like PrimaryCalls. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- filled where calls are declared
export interface WebCalls {}
