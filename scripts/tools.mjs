// Installs the development tools (tools/, bench/) and generates the browser app's API types.
// Does nothing if they are up to date.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

const run = (command, args, options = {}) =>
  execFileSync(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'], ...options });

function isInstalled(folder) {
  const installed = statSync(join(folder, 'node_modules', '.package-lock.json'), {
    throwIfNoEntry: false,
  });
  const lock = statSync(join(folder, 'package-lock.json'));
  return installed !== undefined && installed.mtimeMs >= lock.mtimeMs;
}

function install(name) {
  const folder = join(root, name);
  if (isInstalled(folder)) return;
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
  });
}

function generateTypes() {
  run(process.execPath, [join(root, 'scripts', 'start.mjs'), '--build-only']);
  const folder = join(root, 'dist', 'web-types');
  const [source, target] = [join(folder, 'openapi.json'), join(folder, 'schema.d.ts')];
  const document = run(process.execPath, [join(root, 'dist', 'program', 'cli', 'openapi.js')], {
    env: { PATH: process.env.PATH },
    maxBuffer: 2 ** 24,
  });
  const isCurrent = existsSync(target) && readFileSync(source).equals(document);
  if (isCurrent) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(source, document);
  const generator = join(root, 'tools', 'node_modules', 'openapi-typescript', 'bin', 'cli.js');
  run(process.execPath, [generator, source, '--output', target]);
}

install('tools');
install('bench');
generateTypes();
