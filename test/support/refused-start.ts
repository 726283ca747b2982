import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { freePort } from './service';

const MAIN = join(__dirname, '..', '..', 'dist', 'main.js');

/** Lines that may precede the refusal: a set-up link, and reports about a busy machine. */
const OTHER = /There is no administrator yet|process is slow to start/;

export interface Refusal {
  code: number | null;
  lines: string[];
}

export async function refusedStart(
  env: Record<string, string>,
  wrapper: readonly [] | readonly [string, ...string[]] = [],
): Promise<Refusal> {
  const program = [process.execPath, MAIN] as const;
  const [command, ...args] = [...wrapper, ...program];
  const child = spawn(command, args, {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      XDG_CACHE_HOME: process.env.XDG_CACHE_HOME,
      PORT: String(await freePort()),
      ...env,
    },
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, lines: output.split('\n').filter((line) => line !== '' && !OTHER.test(line)) };
}
