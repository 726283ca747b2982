import { writeFileSync } from 'node:fs';
import { serveParent } from '../../../src/runtime/child-process/parent-channel';

/** A child for tests: answers, prints, refuses, hangs or crashes as its argument says. */
const [, , mode = 'plain', file = ''] = process.argv;

const parent = serveParent({
  onStop: () => {
    if (mode === 'hangs') return new Promise(() => setInterval(() => undefined, 1_000));
    if (file !== '') writeFileSync(file, 'stopped');
    return Promise.resolve();
  },
  onAsk: (type, { a, b }) => {
    if (type === 'silence') return new Promise(() => undefined);
    if (type !== 'add') return Promise.reject(new Error(`cannot ${type}`));
    return Promise.resolve({ sum: Number(a) + Number(b) });
  },
  onOrphaned: () => {
    if (file !== '') writeFileSync(file, 'orphaned');
    return Promise.resolve();
  },
});

if (mode === 'refuses') parent.failed('no room on this disk', { permanent: true });
else if (mode === 'crashes') process.exit(3);
else {
  console.log('one line\nanother line');
  console.error('a warning');
  parent.ready({ pid: process.pid });
}
