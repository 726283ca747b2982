import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const SCRIPT = join(__dirname, '..', '..', 'dist', 'program', 'cli', 'verify.js');

export async function verify(dataDir: string): Promise<{ code: number; last: string }> {
  const env = { ...process.env, DATA_DIR: dataDir, MONGODB_URI: '' };
  const child = spawn(process.execPath, [SCRIPT], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (piece: Buffer) => (text += piece.toString()));
  }
  const [code] = (await once(child, 'close')) as [number];
  return { code, last: text.trim().split('\n').at(-1) ?? '' };
}
