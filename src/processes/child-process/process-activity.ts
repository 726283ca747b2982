import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessActivity {
  state: string;
  /** CPU time since the process started. */
  cpuMs: number;
  ioBytes: number;
}

export const WAITING_FOR_DISK = 'waiting for a disk';
/** The thread is running, or is waiting for a processor. */
export const BUSY = 'busy';
const STATES: Readonly<Record<string, string>> = {
  R: BUSY,
  S: 'waiting',
  D: WAITING_FOR_DISK,
  T: 'stopped by a signal',
  t: 'stopped by a debugger',
};
/** Time unit in /proc on all supported systems. */
const TICK_MS = 10;

/** Returns a process's activity, if this user owns it; null on systems other than Linux. */
export function readActivity(pid: number): ProcessActivity | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = statFields(stat);
    const io = readFileSync(`/proc/${pid}/io`, 'utf8');
    const [own = '', user, system] = [fields[0], fields[11], fields[12]];
    const threads = threadStates(pid);
    const state = ['D', 'R'].find((telling) => threads.includes(telling)) ?? own;
    return {
      state: STATES[state] ?? state,
      cpuMs: (Number(user) + Number(system)) * TICK_MS,
      ioBytes: readCounter(io, 'rchar') + readCounter(io, 'wchar'),
    };
  } catch {
    return null;
  }
}

/** Detects waits for a slow disk or a busy processor, which all other figures show as idle. */
function threadStates(pid: number): (string | undefined)[] {
  return readdirSync(`/proc/${pid}/task`).map((thread) => {
    try {
      return statFields(readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8'))[0];
    } catch {
      return undefined; // The thread has ended.
    }
  });
}

/** Returns the fields after the second, the name, which may contain spaces and brackets. */
function statFields(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function readCounter(text: string, name: string): number {
  return Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
}
