// node scripts/fetch-node.mjs MAJOR FOLDER: fetches another release of Node.js from the package
// registry into the folder and prints the path of its program.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The newest program of a major version; packages of that name hold it for one system each. */
export function fetchNode(major, folder) {
  const run = (command, args) => {
    const { status, error } = spawnSync(command, args, {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    if (status !== 0) throw error ?? new Error(`${command} ended with ${status}`);
  };
  run('npm', ['pack', '--silent', `node-${process.platform}-${process.arch}@${major}`]);
  const [archive] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  run('tar', ['xzf', archive]);
  return join(folder, 'package', 'bin', 'node');
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [, , major, folder] = process.argv;
  console.log(fetchNode(major, folder));
}
