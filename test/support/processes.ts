import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Service } from './service';

/** Answers '' of a process or a thread that has ended meanwhile. */
function proc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'utf8');
  } catch {
    return '';
  }
}

/** Each thread has a list of those that it has started. */
function childrenOf(parent: number): number[] {
  try {
    return readdirSync(`/proc/${parent}/task`).flatMap((thread) => {
      const children = proc(`${parent}/task/${thread}/children`);
      return children.split(' ').filter(Boolean).map(Number);
    });
  } catch {
    return []; // It has ended.
  }
}

/** All below a process. */
export function descendantsOf(parent: number): number[] {
  return childrenOf(parent).flatMap((pid) => [pid, ...descendantsOf(pid)]);
}

function pids(service: Service, part: string): number[] {
  const children = childrenOf(service.process.pid ?? 0);
  return children.filter((pid) => proc(`${pid}/cmdline`).replaceAll('\0', ' ').includes(part));
}

/** The web workers of a service with WEB_CONCURRENCY > 1. */
export function workerPids(service: Service): number[] {
  return pids(service, 'dist/main.js');
}

/** The niceness of each thread of a process, in the order in which they were made; the first runs it. */
export function threadNiceness(pid: number): number[] {
  const threads = readdirSync(`/proc/${pid}/task`).map(Number);
  return threads
    .sort((a, b) => a - b)
    .map((thread) => {
      const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
    });
}

/** The process of the service's embedded database. */
export function enginePid(service: Service): number {
  const [pid] = pids(service, 'engine.process.js');
  if (pid === undefined) throw new Error('There is no engine process');
  return pid;
}

/** The process that records the clicks. */
export function recorderPid(service: Service): number {
  const [pid] = pids(service, 'recorder.process.js');
  if (pid === undefined) throw new Error('There is no recorder process');
  return pid;
}

/** The processes that count statistics: one at most, none until somebody asks. */
export function statisticsPids(service: Service): number[] {
  return pids(service, 'statistics.process.js');
}

/** The process that runs jobs: one at most, none until there is a job. */
export function jobsPids(service: Service): number[] {
  return pids(service, 'jobs.process.');
}

/** How far a process gives way to others: the weight of its session where Linux weighs sessions. */
export function niceness(pid: number): number {
  const session = `/proc/${pid}/autogroup`;
  if (!existsSync(session)) return threadNiceness(pid)[0] ?? NaN;
  return Number(/nice (-?\d+)/.exec(readFileSync(session, 'utf8'))?.[1]);
}
