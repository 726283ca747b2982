const CHECK_MS = 10_000;
/** A cancelled query must end within this much CPU time across all threads. */
const MAX_CPU_MS = 30_000;
/** The process counts as idle if it uses less CPU time than this between two checks. */
const IDLE_CPU_MS = 100;
/**
 * Number of idle checks after which the process is stuck. They take longer than a database
 * response.
 */
const MAX_IDLE_CHECKS = 6;

/**
 * Calls `onStuck` when a cancelled query does not end. Measures CPU time instead of wall time,
 * because the process may get little CPU time on a busy machine.
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
