import cluster, { type Worker } from 'node:cluster';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { QuietLogger } from '../../test/support/quiet-logger';
import { WorkerFailedError } from './start-error';
import { SupervisedWorker } from './supervised-worker';

const SCRIPT = join(__dirname, '../../test/support/processes/hesitant.worker.mjs');

describe('WorkerSeat', () => {
  let folder: string;
  let log: QuietLogger;
  let last: Worker | undefined;
  let seat: SupervisedWorker | undefined;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'curtail-seat-'));
    log = new QuietLogger();
    cluster.setupPrimary({ exec: SCRIPT, execArgv: [], args: [] });
  });
  afterEach(async () => {
    await seat?.stop(2000);
    rmSync(folder, { recursive: true, force: true });
  });

  /** A seat whose first workers misbehave. */
  function aSeat(mode: string, times: number, startMs = 30_000): SupervisedWorker {
    const env = {
      HESITANT_FILE: join(folder, 'forks'),
      HESITANT_MODE: mode,
      HESITANT_TIMES: `${times}`,
    };
    seat = new SupervisedWorker({
      fork: () => (last = cluster.fork(env)),
      log,
      startMs,
      backoff: { firstMs: 5, ceilingMs: 20, steadyMs: 1000 },
    });
    return seat;
  }

  const forks = (): number => readFileSync(join(folder, 'forks'), 'utf8').length;

  it('kills a worker that hangs at its start and takes another one', async () => {
    await aSeat('hangs', 1, 1500).start();
    expect(forks()).toBe(2);
    expect(log.of('error').map(({ message }) => message)).toEqual([
      'A worker process hangs at its start and is killed',
      'A worker process ended and is replaced',
    ]);
  });

  it('tries again when the first worker is killed', async () => {
    await aSeat('is killed', 2).start();
    expect(forks()).toBe(3);
  });

  it('gives a start up when workers are killed again and again', async () => {
    await expect(aSeat('is killed', 9).start()).rejects.toThrow(WorkerFailedError);
    expect(forks()).toBe(3);
  });

  it('gives a start up when the first worker ends by itself', async () => {
    await expect(aSeat('exits', 1).start()).rejects.toThrow(/exit code 7/);
    expect(forks()).toBe(1);
  });

  it('replaces a worker that has served, however it ends, and none after a stop', async () => {
    await aSeat('serves', 0).start();
    const first = last;
    first?.process.kill('SIGKILL');
    await new Promise((resolve) => cluster.once('online', resolve));
    expect(last?.id).not.toBe(first?.id);
    await seat?.stop(2000);
    expect(last?.isDead()).toBe(true);
    expect(forks()).toBe(2);
  });
});
