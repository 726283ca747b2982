import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { isSameProcessAlive, ownProcessIdentity } from './process-identity';

describe('isSameProcessAlive', () => {
  it('identifies this process', () => {
    expect(isSameProcessAlive(ownProcessIdentity())).toBe(true);
  });

  it('distinguishes a later process with the same id by its start time', () => {
    const { pid, startTime } = ownProcessIdentity();
    expect(isSameProcessAlive({ pid, startTime: `${startTime}1` })).toBe(
      process.platform !== 'linux',
    );
  });

  it('identifies a process of another user', () => {
    expect(isSameProcessAlive({ pid: 1, startTime: null })).toBe(true);
  });

  it('detects that a process has ended', async () => {
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'exit');
    expect(isSameProcessAlive({ pid: child.pid!, startTime: null })).toBe(false);
  });
});
