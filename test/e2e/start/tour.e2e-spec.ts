import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startService } from '../../support/service';

const readme = readFileSync(resolve(__dirname, '../../../README.md'), 'utf8');

function tour(): string {
  const section = readme.slice(
    readme.indexOf('## Five minutes'),
    readme.indexOf('## Where everything is'),
  );
  return [...section.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block]) => block).join('\n');
}

describe("The README's tour", () => {
  it('works by copy and paste, and leaves no files', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'curtail-tour-'));
    const clone = join(folder, 'clone');
    const dataDir = join(clone, 'data');
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const service = await startService({ dataDir });
    try {
      const commands = tour()
        .replaceAll('localhost:8000', `localhost:${service.port}`)
        .replaceAll('/tmp/curtail-tour', join(folder, 'tour'));
      expect(commands).not.toContain('/tmp/account');
      const shell = spawn('bash', ['-eu', '-o', 'pipefail', '-c', commands], {
        cwd: clone,
        env: { PATH: process.env.PATH, HOME: folder },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let output = '';
      for (const stream of [shell.stdout, shell.stderr]) {
        stream.on('data', (piece: Buffer) => (output += piece.toString()));
      }
      const [code] = (await once(shell, 'close')) as [number];
      expect({ code, output }).toMatchObject({ code: 0 });
      expect(output).toMatch(/location: https:\/\/example\.com\/a\/very\/long\/address/i);
      expect(output).toContain('302 https://example.com/party');
      expect(output).toContain('"email_verified":true');
      expect(output.match(/"total_clicks":1\b/g)?.length).toBeGreaterThanOrEqual(2);
      expect(readdirSync(clone)).toEqual(['data']);
      // An .xlsx file is a zip archive.
      expect(readFileSync(join(folder, 'tour.xlsx')).toString('latin1', 0, 2)).toBe('PK');
    } finally {
      await service.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
