/** The question of web processes that the primary passes on to the recorder. */
export const CATCH_UP = 'journal.catch-up';

/** How long the recorder may take to record what waits. */
export const CATCH_UP_MS = 3000;
