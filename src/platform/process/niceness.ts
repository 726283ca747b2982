import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/**
 * Has a process yield the processor to others while they need it: niceness 0 (none) to 19 (most).
 * To be called right after its start, so that its threads inherit it. Linux also weighs whole
 * sessions against each other (autogroup), where the process's own value counts inside alone.
 * A system that refuses leaves things as they are.
 */
export function yieldProcessor(pid: number, niceness: number): void {
  attempt(() => setPriority(pid, niceness));
  attempt(() => writeFileSync(`/proc/${pid}/autogroup`, String(niceness)));
}

function attempt(change: () => void): void {
  try {
    change();
  } catch {
    // No such system call, file or right: redirects then compete on equal terms.
  }
}
