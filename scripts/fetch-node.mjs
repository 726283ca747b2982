// node scripts/fetch-node.mjs VERSION: fetches a Node.js release (24, 20.19) from the package
// registry, caches it and prints the path of its executable.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const PROGRAM = join('package', 'bin', 'node');

function fetchInto(version, folder) {
  const run = (command, args) => {
    const { status, error } = spawnSync(command, args, {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    if (status !== 0) throw error ?? new Error(`${command} ended with ${status}`);
  };
  run('npm', ['pack', '--silent', `node-${process.platform}-${process.arch}@${version}`]);
  const [archive] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  run('tar', ['xzf', archive]);
  rmSync(join(folder, archive));
}

export function fetchNode(version) {
  const caches = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const folder = join(caches, 'curtail', `node-${version}`);
  const program = join(folder, PROGRAM);
  if (existsSync(program)) return program;
  mkdirSync(dirname(folder), { recursive: true });
  const whole = mkdtempSync(`${folder}-`);
  try {
    fetchInto(version, whole);
    renameSync(whole, folder);
  } finally {
    rmSync(whole, { recursive: true, force: true });
  }
  return program;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log(fetchNode(process.argv[2]));
}
