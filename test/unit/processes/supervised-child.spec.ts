import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../support/shared/eventually';
import type { ObedientCalls } from '../../support/processes/obedient.child';
import { RecordingLogger } from '../../support/shared/recording-logger';
import { tsProcess } from '../../support/ts-process';
import { spawning } from '../../../src/processes/child-process/child-run';
import {
  SupervisedChild,
  type SupervisedChildOptions,
} from '../../../src/processes/child-process/supervised-child';
import { isSameProcessAlive } from '../../../src/processes/process-identity';

const folder = mkdtempSync(join(tmpdir(), 'curtail-child-'));
const started: SupervisedChild<ObedientCalls>[] = [];

function aChild(
  mode: string,
  file = '',
  more: Partial<SupervisedChildOptions<ObedientCalls>> = {},
) {
  const logger = new RecordingLogger();
  const child = new SupervisedChild<ObedientCalls>({
    name: 'test',
    prepare: () =>
      spawning({ command: process.execPath, args: tsProcess('obedient.child', mode, file) }),
    logger,
    backoff: { firstMs: 10, ceilingMs: 50, steadyMs: 30_000 },
    ...more,
  });
  started.push(child);
  return { child, logger };
}

const isAlive = (pid: number) => isSameProcessAlive({ pid, startTime: null });

afterEach(() => Promise.all(started.splice(0).map((child) => child.stop(1_000))));
afterAll(() => rmSync(folder, { recursive: true }));

describe('SupervisedChild', () => {
  it("resolves its start with the process's ready message, and forwards its lines", async () => {
    const { child, logger } = aChild('plain');
    const ready = await child.start();
    expect(ready).toEqual({ pid: child.pid });
    await eventually(() => logger.lines.length >= 3);
    expect(logger.lines.sort()).toEqual(['info another line', 'info one line', 'warn a warning']);
  });

  it('sends requests to the process and returns replies and errors', async () => {
    const { child } = aChild('plain');
    await child.start();
    const sums = [1, 2, 3].map((a) => child.call('add', { a, b: 40 }, 5_000));
    expect(await Promise.all(sums)).toEqual([{ sum: 41 }, { sum: 42 }, { sum: 43 }]);
    await expect(child.call('fly', null, 5_000)).rejects.toThrow(
      "The test process did not reply to 'fly': cannot fly",
    );
    await expect(child.call('silence', null, 20)).rejects.toThrow('no reply in 20 ms');
  });

  it('restarts the process after it exits, logs this once and rejects open requests', async () => {
    const { child, logger } = aChild('plain');
    const heard: string[] = [];
    child.on('down', () => heard.push('down'));
    child.on('up', () => heard.push('up'));
    const { pid } = await child.start();
    const question = child.call('silence', null, 60_000);
    const again = once(child, 'up');

    process.kill(Number(pid), 'SIGKILL');

    await expect(question).rejects.toThrow('it ended (signal SIGKILL)');
    await expect(child.call('add', { a: 1, b: 1 }, 1_000)).rejects.toThrow('it is down');
    const [ready] = (await again) as [{ pid: number }];
    expect(ready.pid).not.toBe(pid);
    expect(await child.call('add', { a: 1, b: 1 }, 5_000)).toEqual({ sum: 2 });
    expect(heard).toEqual(['up', 'down', 'up']);
    expect(logger.lines.filter((line) => line.startsWith('error'))).toEqual([
      'error The test process ended (signal SIGKILL); restarting it in 10 ms',
    ]);
  });

  it('is down once the process has closed its channel, even if it has not exited', async () => {
    const { child } = aChild('hangs');
    const heard: string[] = [];
    child.on('down', () => heard.push('down'));
    child.on('up', () => heard.push('up'));
    const { pid } = await child.start();
    const down = once(child, 'down');
    const question = expect(child.call('leave', null, 60_000)).rejects.toThrow('signal SIGKILL');

    await down;
    expect(isAlive(Number(pid))).toBe(true);
    await expect(child.call('add', { a: 1, b: 1 }, 5_000)).rejects.toThrow('it is down');

    const again = once(child, 'up');
    process.kill(Number(pid), 'SIGKILL');
    await question;
    await again;
    expect(heard).toEqual(['up', 'down', 'up']);
  });

  it.each([
    ['hangs', 'busy', (child: SupervisedChild<ObedientCalls>) => child.call('spin', null, 60_000)],
    [
      'is stopped',
      'stopped by a signal',
      (child: SupervisedChild<ObedientCalls>) => {
        process.kill(child.pid ?? 0, 'SIGSTOP');
        return child.call('silence', null, 60_000);
      },
    ],
  ])('replaces a process that %s', async (_, state, harm) => {
    const { child, logger } = aChild('plain', '', { silentMs: 2_000 });
    const { pid } = await child.start();
    const again = once(child, 'up');
    await expect(harm(child)).rejects.toThrow('it ended (signal SIGKILL)');
    const [ready] = (await again) as [{ pid: number }];
    expect(ready.pid).not.toBe(pid);
    expect(await child.call('add', { a: 1, b: 1 }, 5_000)).toEqual({ sum: 2 });
    expect(logger.lines.filter((line) => line.startsWith('error'))).toEqual([
      'error The test process has not responded for 2 s; killing it',
      'error The test process ended (signal SIGKILL); restarting it in 10 ms',
    ]);
    if (process.platform === 'linux')
      expect(logger.extras).toContainEqual({
        pid,
        state,
        cpuMs: expect.any(Number) as number,
        ioBytes: expect.any(Number) as number,
      });
  });

  it('measures every part of a restart', async () => {
    const { child, logger } = aChild('plain');
    const { pid } = await child.start();
    const again = once(child, 'up');
    process.kill(Number(pid), 'SIGKILL');
    await again;
    expect(logger.lines).toContain('info The test process is back up');
    expect(logger.extras).toContainEqual({
      downMs: expect.any(Number) as number,
      waitMs: 10,
      stepsMs: { process: expect.any(Number) as number },
    });
  });

  // CPU time is known only on Linux.
  (process.platform === 'linux' ? it : it.skip)(
    'names the step of a long start, and restarts a child that does no work',
    async () => {
      const { child, logger } = aChild('lingers', '', {
        longStartMs: 3_000,
        idleStartIsHung: true,
        firstStartTries: 2,
      });
      await expect(child.start()).rejects.toThrow('2 times while starting: signal SIGKILL');
      const told = logger.lines.filter((line) => line.includes('(thinking)'));
      expect(told.at(-1)).toBe(
        'error The test process got stuck during startup (thinking); killing it',
      );
    },
  );

  it('stops the process cleanly', async () => {
    const file = join(folder, 'stop');
    const { child, logger } = aChild('plain', file);
    const { pid } = await child.start();
    await child.stop(5_000);
    expect(readFileSync(file, 'utf8')).toBe('stopped');
    expect(isAlive(Number(pid))).toBe(false);
    expect(logger.lines.filter((line) => line.startsWith('error'))).toEqual([]);
  });

  it('kills a process that does not stop in time', async () => {
    const { child, logger } = aChild('hangs');
    const { pid } = await child.start();
    await child.stop(50);
    expect(isAlive(Number(pid))).toBe(false);
    expect(logger.lines).toContain('warn The test process did not stop within 50 ms; killing it');
  });

  it('rejects its start with the reason if the process reports that it cannot run here', async () => {
    const { child, logger } = aChild('refuses');
    await expect(child.start()).rejects.toThrow(/^no room on this disk$/);
    expect(child.pid).toBeUndefined();
    expect(logger.lines).toEqual([]);
  });

  it('abandons a first start if the process exits repeatedly', async () => {
    const { child, logger } = aChild('crashes');
    await expect(child.start()).rejects.toThrow(
      'The test process ended 5 times while starting: exit code 3',
    );
    expect(logger.lines).toHaveLength(4);
  });

  it('continues a start in the background if the first exit may be temporary', async () => {
    const { child, logger } = aChild('crashes', '', { startsInBackground: true });
    await expect(child.start()).resolves.toEqual({});
    expect(child.downMs).not.toBeNull();
    await eventually('it is tried again', () => logger.lines.length > 5);
    const { child: refusing } = aChild('refuses', '', { startsInBackground: true });
    await expect(refusing.start()).rejects.toThrow('no room on this disk');
  });

  it('rejects its start if the program does not exist', async () => {
    const child = new SupervisedChild({
      name: 'test',
      prepare: () => spawning({ command: join(folder, 'nothing'), args: [] }),
      logger: new RecordingLogger(),
      backoff: { firstMs: 1, ceilingMs: 1, steadyMs: 1_000 },
    });
    await expect(child.start()).rejects.toThrow('ENOENT');
  });

  it('rejects a start that is stopped before the process is ready', async () => {
    const { child } = aChild('plain');
    const start = child.start();
    const refusal = expect(start).rejects.toThrow('stopped before it was ready');
    await child.stop(5_000);
    await refusal;
    expect(child.pid).toBeUndefined();
  });
});

describe('A child process', () => {
  it('ignores the signals that service managers and terminals send to the process group', async () => {
    const { child } = aChild('plain');
    const { pid } = await child.start();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.kill(Number(pid), signal);
    expect(await child.call('add', { a: 2, b: 2 }, 5_000)).toEqual({ sum: 4 });
    expect(child.pid).toBe(pid);
  });

  it('cleans up and exits by itself when its parent is killed', async () => {
    const file = join(folder, 'orphan');
    const parent = spawn(process.execPath, tsProcess('child.parent', file), {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(line.toString());
    expect(isAlive(pid)).toBe(true);

    parent.kill('SIGKILL');

    await eventually(() => !isAlive(pid));
    expect(existsSync(file) && readFileSync(file, 'utf8')).toBe('orphaned');
  });
});
