import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { eventually } from './shared/eventually';
import type { Service } from './service';

function proc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'utf8');
  } catch {
    return '';
  }
}

/** Reads all threads, because each thread lists the processes that it has started. */
function childrenOf(parent: number): number[] {
  try {
    return readdirSync(`/proc/${parent}/task`).flatMap((thread) => {
      const children = proc(`${parent}/task/${thread}/children`);
      return children.split(' ').filter(Boolean).map(Number);
    });
  } catch {
    return []; // Already ended.
  }
}

export function descendantsOf(parent: number): number[] {
  return childrenOf(parent).flatMap((pid) => [pid, ...descendantsOf(pid)]);
}

function pids(service: Service, part: string): number[] {
  const children = childrenOf(service.process.pid ?? 0);
  return children.filter((pid) => proc(`${pid}/cmdline`).replaceAll('\0', ' ').includes(part));
}

export function workerPids(service: Service): number[] {
  return pids(service, 'dist/main.js');
}

export function threadNiceness(pid: number): number[] {
  const threads = readdirSync(`/proc/${pid}/task`).map(Number);
  return threads
    .sort((a, b) => a - b)
    .map((thread) => {
      const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
    });
}

export function enginePid(service: Service): number {
  const [pid] = pids(service, 'engine.process.js');
  if (pid === undefined) throw new Error('There is no engine process');
  return pid;
}

export function recorderPid(service: Service): number {
  const [pid] = pids(service, 'recorder.process.js');
  if (pid === undefined) throw new Error('There is no recorder process');
  return pid;
}

/** Returns the statistics process, if there is one. The first query starts it. */
export function statisticsPids(service: Service): number[] {
  return pids(service, 'statistics.process.js');
}

/** Returns the jobs process, if there is one. The first job starts it. */
export function jobsPids(service: Service): number[] {
  return pids(service, 'jobs.process.');
}

/** Waits for the jobs process: a signal to a missing process would reach the tests themselves. */
export async function jobsPid(service: Service): Promise<number> {
  await eventually('there is a jobs process', () => jobsPids(service).length === 1);
  return jobsPids(service)[0] ?? NaN;
}

/**
 * Returns a process's niceness, or its session's if Linux groups processes by session (autogroup).
 */
export function niceness(pid: number): number {
  const session = `/proc/${pid}/autogroup`;
  if (!existsSync(session)) return threadNiceness(pid)[0] ?? NaN;
  return Number(/nice (-?\d+)/.exec(readFileSync(session, 'utf8'))?.[1]);
}
