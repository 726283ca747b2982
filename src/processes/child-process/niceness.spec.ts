import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { eventually } from '../../../test/support/shared/eventually';
import { setNiceness } from './child-run';

const session = '/proc/self/autogroup';

describe('process priority', () => {
  it('never throws, for any process', () => {
    expect(() => setNiceness(2 ** 30, 5)).not.toThrow();
  });

  const onAutogroups = existsSync(session) ? it : it.skip;
  onAutogroups(
    'lowers the priority of the session of a child process, and restores it',
    async () => {
      const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 20000)'], {
        detached: true,
        stdio: 'ignore',
      });
      const weight = (): string => readFileSync(`/proc/${child.pid ?? 0}/autogroup`, 'utf8');
      try {
        setNiceness(child.pid ?? 0, 5);
        expect(weight()).toMatch(/nice 5$/m);
        // The kernel accepts at most ten such changes per second per user.
        await eventually('the weight is taken back', () => {
          setNiceness(child.pid ?? 0, 0);
          return /nice 0$/m.test(weight());
        });
      } finally {
        child.kill('SIGKILL');
      }
    },
  );
});
