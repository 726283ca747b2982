import { setTimeout as sleep } from 'node:timers/promises';

type Probe = () => boolean | Promise<boolean>;

const PATIENCE_MS = 100_000;
const PROBE_EVERY_MS = 20;

/** Waits until the probe returns true; fails with `what` after `timeoutMs`. */
export function eventually(probe: Probe): Promise<void>;
export function eventually(what: string, probe: Probe, timeoutMs?: number): Promise<void>;
export async function eventually(
  first: string | Probe,
  second?: Probe,
  timeoutMs = PATIENCE_MS,
): Promise<void> {
  const probe = typeof first === 'string' ? second : first;
  const what = typeof first === 'string' ? first : 'what was waited for';
  const deadline = Date.now() + timeoutMs;
  while (!(await probe?.())) {
    if (Date.now() > deadline) throw new Error(`It did not happen in time: ${what}`);
    await sleep(PROBE_EVERY_MS);
  }
}
