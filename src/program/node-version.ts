import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../common/package-info';

interface PackageFile {
  engines: { node: string };
}

/** The text to print when `running` is older than package.json asks for; null when it is not. */
export function nodeVersionError(running: string): string | null {
  const { engines } = JSON.parse(
    readFileSync(join(packageRoot(), 'package.json'), 'utf8'),
  ) as PackageFile;
  const needed = engines.node.replace('>=', '');
  const [major = 0, minor = 0] = needed.split('.').map(Number);
  const [ownMajor = 0, ownMinor = 0] = running.split('.').map(Number);
  if (ownMajor > major || (ownMajor === major && ownMinor >= minor)) return null;
  return `Curtail needs Node.js ${needed} or newer; this is ${running}. Install a newer one.`;
}

// Runs when this file is loaded: it is the first import of the programs, so that an older Node.js
// says this instead of failing on a package's newer syntax.
const error = nodeVersionError(process.versions.node);
if (error !== null) {
  console.error(error);
  process.exit(1);
}
