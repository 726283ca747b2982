/** What workers and their primary tell each other about starting and stopping. */
export const READY = 'curtail:ready';
export const STOP = 'curtail:stop';

interface Stoppable {
  stop(): Promise<void>;
}

/**
 * The worker's side: says when it serves, stops when told to, also when that is while it starts,
 * and ends at once when the primary is gone.
 */
export async function serveAsWorker(starting: Promise<Stoppable>): Promise<void> {
  process.on('message', (message) => {
    if (message !== STOP) return;
    void starting.then((web) => web.stop()).finally(() => process.exit(0));
  });
  // Without its primary nobody shares the port or repairs the database: what is journalled is safe.
  process.on('disconnect', () => process.exit(1));
  await starting;
  process.send?.(READY);
}
