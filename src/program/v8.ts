import { readdirSync, readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const TASKS = '/proc/self/task';
const NICENESS = 10;
/** Node's default number of threads. */
const V8_THREADS = 4;
/** Thread name since Node 24; earlier releases use the process name. */
const V8_NAME = 'V8Worker';
/** The highest id that Linux allows. */
const MAX_THREAD_ID = 2 ** 22;

/**
 * Makes V8 collect garbage less often and at lower priority. Without idle cores, its threads would
 * delay every redirect by milliseconds (docs/adr/0023). Only for web processes.
 */
export function favourEventLoop(): void {
  // The heap may grow by 100% per collection; redirects exceed the default of 10% in seconds.
  setFlagsFromString('--heap-growing-percent=100');
  collectGarbage();
  if (process.platform !== 'linux') return;
  try {
    for (const thread of v8Threads()) setPriority(thread, NICENESS);
  } catch {
    // Without permission to set priorities, the threads have normal priority.
  }
}

/** Node creates these threads first, after a thread for delayed tasks. */
function v8Threads(): number[] {
  const others = byCreation(readdirSync(TASKS).map(Number), process.pid).slice(1);
  const names = new Set([V8_NAME, readThreadName(process.pid)]);
  return others.slice(1, 1 + V8_THREADS).filter((thread) => names.has(readThreadName(thread)));
}

/** @param first the oldest thread. Ids above the system's maximum start again at a low number. */
export function byCreation(threads: readonly number[], first: number): number[] {
  const started = (thread: number) => (thread < first ? thread + MAX_THREAD_ID : thread);
  return [...threads].sort((a, b) => started(a) - started(b));
}

function readThreadName(thread: number): string {
  return readFileSync(`${TASKS}/${thread}/comm`, 'utf8').trim();
}

/** Frees startup data; otherwise V8 measures growth from a heap that is 100 MB larger. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  setFlagsFromString('--no-expose-gc');
}
