import { RecordingLogger } from '../../support/shared/recording-logger';
import { tsProcess } from '../../support/ts-process';
import { HOUR_MS, MINUTE_MS } from '../../../src/common/time';
import { spawning } from '../../../src/processes/child-process/child-run';
import { SupervisedChild } from '../../../src/processes/child-process/supervised-child';
import type { WebCalls } from '../../../src/processes/rpc/primary-calls';
import { RpcHub } from '../../../src/processes/rpc/rpc-hub';
import { MemoryRateLimitStore } from '../../../src/infrastructure/rate-limit-store/memory.rate-limit-store';
import { serveRateLimits } from '../../../src/infrastructure/rate-limit-store/primary.rate-limit-store';

const COST = 7;
const LIMIT = 100;

describe('rate-limit windows that two worker processes share', () => {
  const workers: SupervisedChild<WebCalls>[] = [];
  afterAll(() => Promise.all(workers.map((worker) => worker.stop(5000))));

  it('accept all items of a request or count nothing, from any worker', async () => {
    const windows = new MemoryRateLimitStore();
    serveRateLimits(windows);
    const server = new RpcHub();
    const args = tsProcess('spending.worker', '20', String(COST), String(LIMIT));
    const aWorker = () =>
      new SupervisedChild<WebCalls>({
        name: 'test worker',
        prepare: () => spawning({ command: process.execPath, args }),
        logger: new RecordingLogger(),
        server,
      });
    workers.push(aWorker(), aWorker());
    const said = await Promise.all(workers.map((worker) => worker.start()));
    const kept = said.reduce((sum, payload) => sum + Number(payload.kept), 0);
    const rules = [MINUTE_MS, HOUR_MS].map((ms) => ({ limit: LIMIT, ms }));
    const { windows: states } = windows.judge('row|user:1', rules, LIMIT + 1);
    expect(states.map(({ count }) => count)).toEqual([kept * COST, kept * COST]);
    // Workers return unused budget for the other worker to use.
    expect(kept).toBeGreaterThanOrEqual(Math.floor(LIMIT / COST) - 2);
    expect(kept).toBeLessThanOrEqual(Math.floor(LIMIT / COST));
  });
});
