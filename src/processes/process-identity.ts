import { readFileSync } from 'node:fs';

/** `startTime` has boot ID and clock ticks on Linux; null on other systems. */
export interface ProcessIdentity {
  pid: number;
  startTime: string | null;
}

export function ownProcessIdentity(): ProcessIdentity {
  return { pid: process.pid, startTime: readStat(process.pid)?.startTime ?? null };
}

/** Without start times, any process with this PID is considered the same, except zombies. */
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
    // EPERM means that the process is alive but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function readStat(pid: number): { startTime: string; defunct: boolean } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Field 2, the name in brackets, may contain spaces and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const [state = '', ticks = ''] = [fields[0], fields[19]];
    return { startTime: `${boot}/${ticks}`, defunct: state === 'Z' || state === 'X' };
  } catch {
    return null;
  }
}
