import { readFileSync } from 'node:fs';

/**
 * A process, told apart from later ones that get the same id. `startTime` is opaque: boot and
 * clock ticks since boot where the system shows them (Linux), null elsewhere.
 */
export interface ProcessIdentity {
  pid: number;
  startTime: string | null;
}

/** The identity of this very process. */
export function ownProcessIdentity(): ProcessIdentity {
  return { pid: process.pid, startTime: readStat(process.pid)?.startTime ?? null };
}

/**
 * Whether the process lives that once had this identity. Where start times cannot be compared,
 * a living process with its id counts as the same; one that only waits to be reaped as dead.
 */
export function isSameProcessAlive({ pid, startTime }: ProcessIdentity): boolean {
  if (!isSignalable(pid)) return false;
  const stat = readStat(pid);
  if (stat === null) return true;
  return !stat.defunct && (startTime === null || stat.startTime === startTime);
}

function isSignalable(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function readStat(pid: number): { startTime: string; defunct: boolean } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Field 2 is the program's name in brackets and may itself hold spaces and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const [state = '', ticks = ''] = [fields[0], fields[19]];
    return { startTime: `${boot}/${ticks}`, defunct: state === 'Z' || state === 'X' };
  } catch {
    return null;
  }
}
