import { setImmediate as turn } from 'node:timers/promises';
import { favourEventLoop } from './v8';

describe('V8 in a web process', () => {
  it('frees all garbage before requests begin', async () => {
    // Old objects, which a young-generation collection does not free.
    let made: object[] | null = Array.from({ length: 100_000 }, () => ({}));
    const first = new WeakRef(made[0] ?? {});
    made = null;
    await turn();
    favourEventLoop();
    expect([made, first.deref()]).toEqual([null, undefined]);
  });
});
