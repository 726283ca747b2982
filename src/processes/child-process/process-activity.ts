import { readFileSync } from 'node:fs';

/** Activity of a process as the system sees it, also of one that does not answer. */
export interface ProcessActivity {
  state: string;
  /** Processor time since its start. */
  cpuMs: number;
  /** Read and written since its start. */
  ioBytes: number;
}

const STATES: Readonly<Record<string, string>> = {
  R: 'busy',
  S: 'waiting',
  D: 'waiting for a disk',
  T: 'stopped by a signal',
  t: 'stopped by a debugger',
};
/** The unit of the times in /proc on every supported system. */
const TICK_MS = 10;

/** The activity of a process of this user; null where the system does not tell (not Linux). */
export function activityOf(pid: number): ProcessActivity | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Field 2 is the program's name in brackets and may itself hold spaces and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const io = readFileSync(`/proc/${pid}/io`, 'utf8');
    const [state = '', user, system] = [fields[0], fields[11], fields[12]];
    return {
      state: STATES[state] ?? state,
      cpuMs: (Number(user) + Number(system)) * TICK_MS,
      ioBytes: lineOf(io, 'rchar') + lineOf(io, 'wchar'),
    };
  } catch {
    return null;
  }
}

function lineOf(text: string, name: string): number {
  return Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
}
