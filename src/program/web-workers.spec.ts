import cluster, { type Worker } from 'node:cluster';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { QuietLogger } from '../../test/support/shared/quiet-logger';
import { ChildFailedError } from '../processes/processes.errors';
import type { SupervisedChild } from '../processes/child-process/supervised-child';
import type { WebCalls } from '../processes/rpc/primary-calls';
import { webWorker } from './web-workers';

const SCRIPT = join(__dirname, '../../test/support/processes/hesitant.worker.mjs');

describe('a web worker', () => {
  let folder: string;
  let log: QuietLogger;
  let last: Worker | undefined;
  let worker: SupervisedChild<WebCalls> | undefined;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'curtail-worker-'));
    log = new QuietLogger();
    cluster.setupPrimary({ exec: SCRIPT, execArgv: [], args: [] });
  });
  afterEach(async () => {
    await worker?.stop(2000);
    rmSync(folder, { recursive: true, force: true });
  });

  /** Supervises a worker whose first processes fail in the given way. */
  function aWorker(mode: string, times: number, startMs = 30_000): SupervisedChild<WebCalls> {
    const env = {
      HESITANT_FILE: join(folder, 'forks'),
      HESITANT_MODE: mode,
      HESITANT_TIMES: `${times}`,
    };
    worker = webWorker({
      fork: () => (last = cluster.fork(env)).process,
      logger: log,
      startMs,
      backoff: { firstMs: 5, ceilingMs: 20, steadyMs: 1000 },
    });
    return worker;
  }

  const forks = (): number => readFileSync(join(folder, 'forks'), 'utf8').length;

  it('is killed if it hangs at its start, and is replaced', async () => {
    await aWorker('hangs', 1, 1500).start();
    expect(forks()).toBe(2);
    expect(log.linesAt('error').map(({ message }) => message)).toEqual([
      'The web worker process hung during startup; killing it',
      'The web worker process ended (signal SIGKILL); restarting it in 5 ms',
    ]);
  });

  it('is started again if the first one is killed', async () => {
    await aWorker('is killed', 2).start();
    expect(forks()).toBe(3);
  });

  it('is not started again after it was killed repeatedly', async () => {
    await expect(aWorker('is killed', 9).start()).rejects.toThrow(ChildFailedError);
    expect(forks()).toBe(3);
  });

  it('is not started again if the first one exits by itself', async () => {
    await expect(aWorker('exits', 1).start()).rejects.toThrow(/exit code 7/);
    expect(forks()).toBe(1);
  });

  it('is replaced after it has served, however it exits, except after a stop', async () => {
    await aWorker('serves', 0).start();
    const first = last;
    first?.process.kill('SIGKILL');
    await new Promise((resolve) => cluster.once('online', resolve));
    expect(last?.id).not.toBe(first?.id);
    await worker?.stop(2000);
    expect(last?.isDead()).toBe(true);
    expect(forks()).toBe(2);
  });
});
