import { readdirSync, readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const TASKS = '/proc/self/task';
const NICENESS = 10;
/** How many threads Node gives V8 where nobody says otherwise. */
const V8_THREADS = 4;
/** Their name in Node's releases from 24 on; before, they are called what the process is called. */
const V8_NAME = 'V8Worker';

/**
 * Has V8 look through its memory less often, and yield to the event loop when it does: on a machine
 * without idle cores its threads hold up every redirect that is under way for milliseconds each
 * (docs/adr/0023). For web processes; what redirects do not wait for is left as V8 has it.
 */
export function favourEventLoop(): void {
  // Twice what was alive, instead of a tenth more, which a few seconds of redirects are enough for.
  setFlagsFromString('--heap-growing-percent=100');
  collectGarbage();
  // Threads have a niceness of their own on Linux alone.
  if (process.platform !== 'linux') return;
  try {
    for (const thread of v8Threads()) setPriority(thread, NICENESS);
  } catch {
    // A system that refuses leaves things as they are: they compete on equal terms.
  }
}

/**
 * Node makes them before it runs anything, one after another, behind one for what V8 delays. The
 * threads of Node's own pool, which sync the journal and hash passwords, come with its first use.
 */
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

/**
 * Has V8 count from what is alive now. Until it has looked through all memory once it lets 100 MB and
 * more of dead requests pile up, since it takes everything that the start has made for alive.
 */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  setFlagsFromString('--no-expose-gc');
}
