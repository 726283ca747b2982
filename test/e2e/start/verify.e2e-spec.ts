import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aLink } from '../../support/factories/links';
import { visit } from '../../support/http';
import { eventually, startService } from '../../support/service';

const SCRIPT = join(__dirname, '..', '..', '..', 'dist', 'program', 'cli', 'verify.js');

/** Runs the audit on the embedded database of a data folder; its last line and exit code. */
async function verify(dataDir: string): Promise<{ code: number; last: string }> {
  const env = { ...process.env, DATA_DIR: dataDir, MONGODB_URI: '' };
  const child = spawn(process.execPath, [SCRIPT], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (piece: Buffer) => (text += piece.toString()));
  }
  const [code] = (await once(child, 'close')) as [number];
  return { code, last: text.trim().split('\n').at(-1) ?? '' };
}

describe('the audit of the embedded database', () => {
  it('works beside the running service and on its own after it', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'curtail-verify-'));
    try {
      const service = await startService({ dataDir, embedded: true });
      const link = await aLink(service);
      for (let i = 0; i < 3; i++) await visit(service, link.alias);
      const right = { code: 0, last: 'verify: 1 links, 3 clicks, 0 differences, 0 repaired' };
      const matches = async (): Promise<boolean> =>
        JSON.stringify(await verify(dataDir)) === JSON.stringify(right);
      await eventually('the audit finds all clicks beside the service', matches);
      await service.stop();
      expect(await verify(dataDir)).toEqual(right);
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});
