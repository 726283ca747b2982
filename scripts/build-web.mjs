// Bundles and compresses the browser app after scripts/start.mjs has built the service; does
// not check types.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const SHARED = [
  'src/common/plain-text.ts',
  'src/common/typed-address.ts',
  'src/config/url.ts',
  'src/infrastructure/files/table.ts',
  'src/stores/links/alias-form.ts',
  'src/links/making/emoji-alias.ts',
  'src/stores/tags/tag.ts',
  'src/destinations/utm.ts',
  'src/pages/style/chart.css',
  'src/pages/style/variables.css',
  'src/pages/chart-drawing.ts',
  'src/pages/wording.ts',
];

export const WEB_TOOLS = ['vite', 'preact', 'openapi-fetch'];

/**
 * Builds the app into dist/web if a source has changed.
 * @param {string} packages folder with the installed build tools
 */
export async function buildWeb(root, packages) {
  const digest = digestOf(root);
  const stamp = join(root, 'dist', 'web', '.built-from');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return;
  rmSync(stamp, { force: true });
  await withPackages(root, packages, () => bundle(root, packages));
  compress(join(root, 'dist', 'web'));
  writeFileSync(stamp, digest);
}

/** Makes tools installed in another folder resolvable from `web` during the build. */
async function withPackages(root, packages, work) {
  const link = join(root, 'web', 'node_modules');
  const isElsewhere = packages !== join(root, 'node_modules');
  if (isElsewhere) symlinkSync(packages, link);
  try {
    await work();
  } finally {
    if (isElsewhere) rmSync(link);
  }
}

function bundle(root, packages) {
  const vite = join(packages, 'vite', 'bin', 'vite.js');
  const config = join(root, 'web', 'vite.config.ts');
  const args = [vite, 'build', '--logLevel', 'warn', '--config', config];
  // Test runs also build the production app.
  return runNode(root, args, { ...process.env, NODE_ENV: 'production' });
}

function digestOf(root) {
  const hash = createHash('sha256');
  for (const name of [
    'package-lock.json',
    'scripts/build-web.mjs',
    ...SHARED,
    ...filesOf(root, 'web'),
  ]) {
    hash
      .update(`\0${name}\0`)
      .update(existsSync(join(root, name)) ? readFileSync(join(root, name)) : '');
  }
  return hash.digest('hex');
}

function filesOf(root, folder) {
  return readdirSync(join(root, folder))
    .filter((name) => name !== 'node_modules')
    .sort()
    .map((name) => `${folder}/${name}`)
    .flatMap((name) => (statSync(join(root, name)).isDirectory() ? filesOf(root, name) : [name]));
}

/** Precompresses every file, so that the service only sends files from the disk. */
function compress(folder) {
  for (const name of readdirSync(folder)) {
    if (!/\.(js|css|svg)$/.test(name)) continue;
    const content = readFileSync(join(folder, name));
    writeFileSync(join(folder, `${name}.gz`), gzipSync(content, { level: 9 }));
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    };
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(content, { params }));
  }
}

function runNode(root, args, env = process.env) {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [output, complaints] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (complaints += text));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) {
        resolve(output);
        return;
      }
      process.stderr.write(output.slice(-20_000) + complaints);
      reject(new Error('The build of the browser app failed.'));
    });
  });
}
