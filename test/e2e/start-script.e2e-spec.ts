import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(__dirname, '..', '..');
const project = mkdtempSync(join(tmpdir(), 'curtail-project-'));
const program = join(project, 'src', 'main.ts');

/** A project of one file with the real script and the real compiler settings. */
beforeAll(() => {
  for (const name of ['scripts', 'package.json', '.swcrc']) {
    cpSync(join(root, name), join(project, name), { recursive: true });
  }
  mkdirSync(join(project, 'src'));
  writeFileSync(program, "console.log('runs as', process.pid);\n");
});
afterAll(() => rmSync(project, { recursive: true }));

function start(...args: string[]) {
  const { pid, status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(project, 'scripts', 'start.mjs'), ...args],
    { encoding: 'utf8' },
  );
  const lines = stdout.trim().split('\n');
  return { pid, status, stderr, built: lines[0]!.startsWith('Building Curtail'), lines };
}

describe('npm start', () => {
  it('says what to do when the packages are not installed', () => {
    const { status, stderr } = start();
    expect(status).toBe(1);
    expect(stderr).toBe('The packages that Curtail needs are not installed. Run: npm install\n');
    symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'));
  });

  it('builds the first time and runs the service in its own process', () => {
    const { built, status, lines, pid } = start();
    expect({ built, status }).toEqual({ built: true, status: 0 });
    expect(lines.at(-1)).toBe(`runs as ${pid}`);
  });

  it('does not build again what has not changed', () => {
    const { built, lines, pid } = start();
    expect(built).toBe(false);
    expect(lines).toEqual([`runs as ${pid}`]);
    expect(start('--build-only').lines).toEqual(['']);
  });

  it('refuses to run what does not compile, and tries again next time', () => {
    writeFileSync(program, 'export const count: number = ;\n');
    for (const { built, status, stderr } of [start(), start()]) {
      expect({ built, status }).toEqual({ built: true, status: 1 });
      expect(stderr).toMatch(/The build failed\.\n$/);
    }
    writeFileSync(program, "console.log('repaired');\n");
    expect(start().lines.at(-1)).toBe('repaired');
  });

  it('runs the built service where the sources were not shipped', () => {
    rmSync(join(project, 'src'), { recursive: true });
    expect(start().lines).toEqual(['repaired']);
  });
});
