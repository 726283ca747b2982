import { existsSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/**
 * Sets how far a process stands back while others need the processor, 0 (not at all) to 19. Where
 * Linux weighs whole sessions against each other (autogroup), this is the session's weight, which
 * any user may take back; elsewhere the process's own, which only root may. To be called right
 * after the start, so that threads inherit it. A system that refuses leaves things as they are.
 */
export function setNiceness(pid: number, niceness: number): void {
  const session = `/proc/${pid}/autogroup`;
  try {
    if (existsSync(session)) writeFileSync(session, String(niceness));
    else setPriority(pid, niceness);
  } catch {
    // No such right, or the process is gone: redirects then compete on equal terms.
  }
}
