/** How long the recorder may take to record what waits. */
export const CATCH_UP_MS = 3000;
