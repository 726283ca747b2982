import { writeFileSync } from 'node:fs';
import { serveParent } from '../../../src/processes/child-process/parent-channel';
import { RpcHandlers } from '../../../src/processes/rpc/rpc';

export interface ObedientCalls {
  add: { request: { a: number; b: number }; response: { sum: number } };
  silence: { request: null; response: null };
  fly: { request: null; response: null };
  spin: { request: null; response: null };
  leave: { request: null; response: null };
}

const [, , mode = 'plain', file = ''] = process.argv;

const hanging = () => new Promise<void>(() => setInterval(() => undefined, 1_000));
const parent = serveParent({
  onStop: () => {
    if (mode === 'hangs') return hanging();
    if (file !== '') writeFileSync(file, 'stopped');
    return Promise.resolve();
  },
  handlers: new RpcHandlers<ObedientCalls>()
    .handle('add', ({ a, b }) => ({ sum: a + b }))
    .handle('silence', () => new Promise(() => undefined))
    .handle('spin', () => {
      for (;;) performance.now();
    })
    .handle('leave', () => {
      process.disconnect();
      return null;
    })
    .handle('fly', () => Promise.reject(new Error('cannot fly'))),
  onOrphaned: () => {
    if (mode === 'hangs') return hanging();
    if (file !== '') writeFileSync(file, 'orphaned');
    return Promise.resolve();
  },
});

if (mode === 'refuses') parent.failed('no room on this disk', { permanent: true });
else if (mode === 'crashes') process.exit(3);
else if (mode === 'lingers') parent.step('thinking');
else {
  console.log('one line\nanother line');
  console.error('a warning');
  parent.ready({ pid: process.pid });
}
