import { readdirSync, readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const TASKS = '/proc/self/task';
const NICENESS = 10;
/** Node's default. */
const V8_THREADS = 4;
/** Thread name since Node 24; earlier releases use the process name. */
const V8_NAME = 'V8Worker';

/**
 * Makes V8 collect less often and yield to the event loop: without idle cores its threads delay
 * every redirect by milliseconds (docs/adr/0023). For web processes only.
 */
export function favourEventLoop(): void {
  // Growth by 100 % instead of 10 %, which a few seconds of redirects would exceed.
  setFlagsFromString('--heap-growing-percent=100');
  collectGarbage();
  if (process.platform !== 'linux') return;
  try {
    for (const thread of v8Threads()) setPriority(thread, NICENESS);
  } catch {
    // Without permission the threads compete on equal terms.
  }
}

/** Node creates them first, after a thread for delayed tasks; its pool starts on first use. */
function v8Threads(): number[] {
  const others = readdirSync(TASKS)
    .map(Number)
    .filter((thread) => thread > process.pid)
    .sort((a, b) => a - b);
  const names = new Set([V8_NAME, readThreadName(process.pid)]);
  return others.slice(1, 1 + V8_THREADS).filter((thread) => names.has(readThreadName(thread)));
}

function readThreadName(thread: number): string {
  return readFileSync(`${TASKS}/${thread}/comm`, 'utf8').trim();
}

/** Measures growth from now; otherwise V8 treats start-up data as live and keeps 100 MB. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  setFlagsFromString('--no-expose-gc');
}
