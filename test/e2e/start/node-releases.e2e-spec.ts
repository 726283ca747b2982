import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const REPOSITORY = join(__dirname, '..', '..', '..');
const textOf = (name: string) => readFileSync(join(REPOSITORY, name), 'utf8');

describe('the oldest supported Node.js', () => {
  it('is the same in package.json and in the README', () => {
    const { engines } = JSON.parse(textOf('package.json')) as { engines: { node: string } };
    const oldest = engines.node.replace('>=', '');
    expect(oldest).toBe('20.19');
    expect(textOf('README.md')).toContain(`Node.js ${oldest} or newer`);
  });

  it('is reported by every program in one line if Node.js is older', () => {
    const fetched = spawnSync(
      process.execPath,
      [join(REPOSITORY, 'scripts', 'fetch-node.mjs'), '18'],
      { encoding: 'utf8' },
    );
    const node = fetched.stdout.trim();
    for (const program of ['scripts/start.mjs', 'dist/main.js', 'dist/program/cli/curtail.js']) {
      const { status, stdout, stderr } = spawnSync(node, [join(REPOSITORY, program)], {
        encoding: 'utf8',
      });
      expect([program, status, stdout]).toEqual([program, 1, '']);
      expect(stderr).toMatch(
        /^Curtail needs Node\.js 20\.19 or newer; this is 18\.\d+\.\d+\. Install a newer one\.\n$/,
      );
    }
  });
});
