import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

// Read once, because a process that is pinned sees only one core.
const PINNABLE = process.platform === 'linux' && availableParallelism() >= 2;

/** Pins a process and its threads to one core or both (Linux, at least two cores). */
export function pin(pid: number | undefined, core: number | '0-1'): boolean {
  if (pid === undefined || !PINNABLE) return false;
  return spawnSync('taskset', ['-a', '-cp', String(core), String(pid)]).status === 0;
}

/**
 * Runs a process only when its core is idle. Niceness is not enough: even at -15 the generator
 * waits for 15 % of the time (docs/adr/0022).
 */
export function standBack(pid: number | undefined): void {
  if (pid !== undefined && PINNABLE) spawnSync('chrt', ['-a', '--idle', '-p', '0', String(pid)]);
}

export async function withoutProcess<T>(pid: number, work: () => Promise<T>): Promise<T> {
  process.kill(pid, 'SIGSTOP');
  try {
    return await work();
  } finally {
    process.kill(pid, 'SIGCONT');
  }
}

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

export function processorMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // User and system time in ticks of 10 ms.
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

export function residentMb(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid ?? 0}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? NaN) / 1024;
  } catch {
    return NaN;
  }
}
