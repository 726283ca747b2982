import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { isSameProcessAlive, ownProcessIdentity } from './process-identity';

describe('isSameProcessAlive', () => {
  it('knows this process', () => {
    expect(isSameProcessAlive(ownProcessIdentity())).toBe(true);
  });

  it('tells a later process of the same id by its start time', () => {
    const { pid, startTime } = ownProcessIdentity();
    expect(isSameProcessAlive({ pid, startTime: `${startTime}1` })).toBe(
      process.platform !== 'linux',
    );
  });

  it('knows a process of another user', () => {
    expect(isSameProcessAlive({ pid: 1, startTime: null })).toBe(true);
  });

  it('knows that a process has ended', async () => {
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'exit');
    expect(isSameProcessAlive({ pid: child.pid!, startTime: null })).toBe(false);
  });
});
