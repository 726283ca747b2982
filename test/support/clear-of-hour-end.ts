import { setTimeout as sleep } from 'node:timers/promises';

const HOUR_MS = 3_600_000;
/** Longer than the steps that must fall within one hour take, even on a busy machine. */
const MARGIN_MS = 30_000;

/**
 * Waits if an hour, and with it perhaps a day, is about to end, for tests that visit links and then
 * compare statistics by hour or day.
 */
export async function clearOfHourEnd(): Promise<void> {
  const left = HOUR_MS - (Date.now() % HOUR_MS);
  if (left < MARGIN_MS) await sleep(left);
}
