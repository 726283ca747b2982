const CHECK_MS = 10_000;
/** Processor time of all threads within which a cancelled query must end. */
const MAX_CPU_MS = 30_000;
/** A process that uses less between two checks is only waiting. */
const IDLE_CPU_MS = 100;
/** Longer than any database response takes. */
const MAX_IDLE_CHECKS = 6;

/**
 * Calls `onStuck` when a cancelled query does not end. Measures processor time instead of wall
 * time, because a busy machine may leave the process little of it.
 *
 * @returns a function that ends the checks
 */
export function watchCancelledQuery(onStuck: () => void): () => void {
  const start = cpuMs();
  let last = start;
  let idleChecks = 0;
  const timer = setInterval(() => {
    const now = cpuMs();
    idleChecks = now - last < IDLE_CPU_MS ? idleChecks + 1 : 0;
    last = now;
    if (now - start > MAX_CPU_MS || idleChecks >= MAX_IDLE_CHECKS) onStuck();
  }, CHECK_MS).unref();
  return () => clearInterval(timer);
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
