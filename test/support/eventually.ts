import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until the check holds; the test's own time limit is what ends a wait in vain. */
export async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(20);
}
