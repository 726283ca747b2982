import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { freePort } from './service';

const MAIN = join(__dirname, '..', '..', 'dist', 'main.js');

export interface Refusal {
  code: number | null;
  /** All that was printed, on both outputs. */
  lines: string[];
}

/**
 * Runs the program to its end; for starts that must be refused.
 * @param wrapper a program that runs the rest of its arguments, such as setpriv
 */
export async function refusedStart(
  env: Record<string, string>,
  wrapper: readonly string[] = [],
): Promise<Refusal> {
  const [command, ...args] = [...wrapper, process.execPath, MAIN] as unknown as [string, ...string[]];
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
  return { code, lines: output.split('\n').filter((line) => line !== '') };
}
