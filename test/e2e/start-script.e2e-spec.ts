import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = join(__dirname, '..', '..');
const project = mkdtempSync(join(tmpdir(), 'curtail-project-'));
const program = join(project, 'src', 'main.ts');

/** Uses npm's cache for the locked compiler if possible. */
const FROM_CACHE = { npm_config_prefer_offline: 'true', npm_config_audit: 'false' };

/** Files that the build needs, other than sources and packages. */
const BUILD_INPUTS = [
  'package.json',
  '.swcrc',
  'nest-cli.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'scripts',
];

/** Creates a project with a single source file and the real script and compiler settings. */
beforeAll(() => {
  for (const name of BUILD_INPUTS) {
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
    { encoding: 'utf8', env: { ...process.env, ...FROM_CACHE } },
  );
  const lines = stdout.trim().split('\n');
  return { pid, status, stderr, built: lines[0]!.startsWith('Building Curtail'), lines };
}

describe('npm start', () => {
  it('says what to do if the packages are not installed', () => {
    const { status, stderr } = start();
    expect(status).toBe(1);
    expect(stderr).toBe('The packages that Curtail needs are not installed. Run: npm install\n');
    symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'));
  });

  it('builds the first time and runs the service in the same process', () => {
    const { built, status, lines, pid } = start();
    expect({ built, status }).toEqual({ built: true, status: 0 });
    expect(lines.at(-1)).toBe(`runs as ${pid}`);
  });

  it('copies other files next to the compiled files, and rebuilds when they change', () => {
    const style = join(project, 'src', 'pages', 'page.css');
    const built = join(project, 'dist', 'pages', 'page.css');
    mkdirSync(dirname(style));
    for (const text of ['a { color: red }', 'a { color: blue }']) {
      writeFileSync(style, text);
      expect(start('--build-only').status).toBe(0);
      expect(readFileSync(built, 'utf8')).toBe(text);
    }
  });

  it('excludes specs and declarations from the build', () => {
    writeFileSync(join(project, 'src', 'a.spec.ts'), '');
    expect(start('--build-only').status).toBe(0);
    expect(readdirSync(join(project, 'dist')).sort()).toEqual([
      '.built',
      'docs-assets',
      'main.js',
      'pages',
    ]);
  });

  it('says what to do if Node.js is too old, and does nothing else', () => {
    const old = join(project, 'old-node.cjs');
    writeFileSync(old, "Object.defineProperty(process.versions, 'node', { value: '20.18.3' });");
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--require', old, join(project, 'scripts', 'start.mjs')],
      { encoding: 'utf8' },
    );
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/^Curtail needs Node\.js 20\.19 or newer; this is 20\.18\.3\..*\n$/);
  });

  it('does not rebuild without a change', () => {
    const { built, lines, pid } = start();
    expect(built).toBe(false);
    expect(lines).toEqual([`runs as ${pid}`]);
    expect(start('--build-only').lines).toEqual(['']);
  });

  it('builds without an installed compiler, which it downloads and then removes', () => {
    const packages = join(project, 'node_modules');
    unlinkSync(packages);
    mkdirSync(packages);
    rmSync(join(project, 'dist'), { recursive: true });
    cpSync(join(root, 'package-lock.json'), join(project, 'package-lock.json'));
    const { status, lines, built } = start();
    expect({ built, status }).toEqual({ built: true, status: 0 });
    expect(lines[1]).toContain('The compiler is not installed');
    expect(lines.at(-1)).toMatch(/^runs as \d+$/);
    expect(readdirSync(packages)).toEqual([]);
    rmSync(packages, { recursive: true });
    symlinkSync(join(root, 'node_modules'), packages);
  });

  it('does not run code that does not compile, and tries again next time', () => {
    writeFileSync(program, 'export const count: number = ;\n');
    for (const { built, status, stderr } of [start(), start()]) {
      expect({ built, status }).toEqual({ built: true, status: 1 });
      expect(stderr).toMatch(/The build failed\.\n$/);
    }
    writeFileSync(program, "console.log('repaired');\n");
    expect(start().lines.at(-1)).toBe('repaired');
  });

  it('runs the built service if the sources are missing', () => {
    rmSync(join(project, 'src'), { recursive: true });
    expect(start().lines).toEqual(['repaired']);
  });
});
