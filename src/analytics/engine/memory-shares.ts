const MEGABYTE = 1024 * 1024;
/** The rest is what is on its way, and what the program itself takes. */
const HELD_SHARE = 0.85;
/** Of that what is known of click stores without their clicks. */
const STATES_SHARE = 1 / 16;
/** One result alone may take more. */
const RESULTS_SHARE = 0.25;
/** Of a scan, while which nothing else is needed but what is held already. */
const SCAN_SHARE = 0.7;

/**
 * How much what is held may take, of that the states of click stores and results for files, and what
 * a scan has to remember.
 */
export function memoryOf(memoryMb: number) {
  const bytes = memoryMb * MEGABYTE;
  return {
    heldBytes: bytes * HELD_SHARE,
    stateBytes: bytes * STATES_SHARE,
    resultBytes: bytes * RESULTS_SHARE,
    scanBytes: bytes * SCAN_SHARE,
  };
}
