import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { descendantsOf } from './processes';

/** Folder for processes that test files share. Set by the global setup. */
const FOLDER_VARIABLE = 'CURTAIL_TEST_KEPT';
const END_MS = 15_000;

export interface KeptProcess {
  readonly pid: number;
  readonly folder: string;
}

export function allowKeptProcesses(): void {
  process.env[FOLDER_VARIABLE] = mkdtempSync(join(tmpdir(), 'curtail-kept-'));
}

/** Test files share only the environment, because Jest loads each file separately. */
export function keepsProcesses(): boolean {
  return process.env[FOLDER_VARIABLE] !== undefined;
}

/** Returns the run's process of this name, which the first file that needs it starts. */
export async function keptProcess<T extends KeptProcess>(
  name: string,
  start: () => Promise<T>,
): Promise<T> {
  const file = join(folder(), `${name}.json`);
  const lock = `${file}.lock`;
  while (!isMade(lock)) await sleep(50);
  try {
    if (existsSync(file)) {
      const kept = JSON.parse(readFileSync(file, 'utf8')) as T;
      if (isRunning(kept.pid)) return kept;
      rmSync(kept.folder, { recursive: true, force: true });
    }
    const started = await start();
    writeFileSync(file, JSON.stringify(started));
    return started;
  } finally {
    rmdirSync(lock);
  }
}

function isMade(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch {
    return false;
  }
}

export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

export async function endKeptProcesses(): Promise<void> {
  if (!keepsProcesses()) return;
  const kept = readdirSync(folder())
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(folder(), name), 'utf8')) as KeptProcess);
  await Promise.all(kept.map(end));
  rmSync(folder(), { recursive: true });
  Reflect.deleteProperty(process.env, FOLDER_VARIABLE);
}

async function end({ pid, folder }: KeptProcess): Promise<void> {
  const deadline = Date.now() + END_MS;
  const descendants = descendantsOf(pid);
  signal(pid, 'SIGTERM');
  while (isRunning(pid)) {
    if (Date.now() > deadline) signal(pid, 'SIGKILL');
    await sleep(50);
  }
  // Debian starts the browser from a shell script, which does not pass signals on.
  for (const descendant of descendants) signal(descendant, 'SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has already ended.
  }
}

function folder(): string {
  const named = process.env[FOLDER_VARIABLE];
  if (named === undefined) throw new Error('Only runs of tests keep processes');
  return named;
}
