import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

// Asked once: a process that has pinned itself sees one core from then on.
const PINNABLE = process.platform === 'linux' && availableParallelism() >= 2;

/** Pins a process with its threads to a core, or to both, where the system can (Linux, two cores or more). */
export function pin(pid: number | undefined, core: number | '0-1'): boolean {
  if (pid === undefined || !PINNABLE) return false;
  return spawnSync('taskset', ['-a', '-cp', String(core), String(pid)]).status === 0;
}

/**
 * Has a process with its threads run only when nobody else wants its core. A niceness is not enough: a
 * generator that shares a core with recorder and database waits for it for 15 % of the time even at
 * -15, and the service waits for the generator (docs/adr/0022).
 */
export function standBack(pid: number | undefined): void {
  if (pid !== undefined && PINNABLE) spawnSync('chrt', ['-a', '--idle', '-p', '0', String(pid)]);
}

/** Stops a process for as long as that takes. */
export async function withoutProcess<T>(pid: number, work: () => Promise<T>): Promise<T> {
  process.kill(pid, 'SIGSTOP');
  try {
    return await work();
  } finally {
    process.kill(pid, 'SIGCONT');
  }
}

/** The child processes of a process, directly below it. */
export function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((candidate) => parentOf(candidate) === pid);
}

function parentOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return null;
  }
}

export function commandOf(pid: number): string {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
}

/** Milliseconds of processor time that a process has used so far. */
export function processorMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // In ticks of a hundredth of a second: user and system.
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Resident memory of a process in MB. */
export function residentMb(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid ?? 0}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? NaN) / 1024;
  } catch {
    return NaN;
  }
}
