import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const SCRIPT = join(__dirname, '..', '..', 'dist', 'program', 'cli', 'curtail.js');

export interface CommandEnd {
  code: number;
  out: string;
  err: string;
}

export async function curtail(
  dataDir: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<CommandEnd> {
  const child = spawn(process.execPath, [SCRIPT, ...args], {
    env: { ...process.env, MONGODB_URI: undefined, DATA_DIR: dataDir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (piece: Buffer) => (out += piece.toString()));
  child.stderr.on('data', (piece: Buffer) => (err += piece.toString()));
  const [code] = (await once(child, 'close')) as [number];
  return { code, out, err };
}
