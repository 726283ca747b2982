// `npm run dev`: restarts the service after each change in src and runs Vite for the browser
// app.
import { spawn } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const service = ['--watch-path=src', join(root, 'scripts', 'start.mjs'), '--without-web'];
const vite = [
  join(root, 'node_modules', 'vite', 'bin', 'vite.js'),
  '--config',
  join(root, 'web', 'vite.config.ts'),
];

const children = [service, vite].map((args) =>
  spawn(process.execPath, args, { cwd: root, stdio: 'inherit' }),
);
console.log('Browser app with live reload: http://localhost:5173/dashboard');

function stop(signal) {
  for (const child of children) if (child.exitCode === null) child.kill(signal);
}
for (const child of children) {
  child.once('close', (code) => {
    process.exitCode ??= code ?? 1;
    stop('SIGTERM');
  });
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => stop(signal));
