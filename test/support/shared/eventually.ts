import { setTimeout as sleep } from 'node:timers/promises';

type Probe = () => boolean | Promise<boolean>;

const PATIENCE_MS = 150_000;
/**
 * The pause between probes grows with the time waited, because many probes are expensive, and those
 * that send requests use up a limit.
 */
const PAUSE = { firstMs: 20, ceilingMs: 300, share: 0.05 };

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
  const start = Date.now();
  while (!(await probe?.())) {
    const waited = Date.now() - start;
    if (waited > timeoutMs) throw new Error(`It did not happen in time: ${what}`);
    await sleep(Math.min(PAUSE.ceilingMs, PAUSE.firstMs + waited * PAUSE.share));
  }
}
