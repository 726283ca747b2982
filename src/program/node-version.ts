import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../common/package-info';

/** Returns an error text if `running` is older than package.json requires; otherwise null. */
export function nodeVersionError(running: string): string | null {
  const { engines } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as {
    engines: { node: string };
  };
  const needed = engines.node.replace('>=', '');
  const [major = 0, minor = 0] = needed.split('.').map(Number);
  const [ownMajor = 0, ownMinor = 0] = running.split('.').map(Number);
  if (ownMajor > major || (ownMajor === major && ownMinor >= minor)) return null;
  return `Curtail needs Node.js ${needed} or newer; this is ${running}. Install a newer one.`;
}

// Imported first, so that an older Node.js reports this error instead of a syntax error.
const error = nodeVersionError(process.versions.node);
if (error !== null) {
  console.error(error);
  process.exit(1);
}
