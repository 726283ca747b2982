import cluster from 'node:cluster';
import {
  aggregate,
  type JournalMetrics,
  MACHINE_TOPIC,
  type MachineMetrics,
  type MetricFamily,
  WEB_TOPIC,
} from '../metrics/metrics';
import { type RpcCaller, type RpcHandlers, primaryHandlers } from './ipc/rpc-handlers';
import type { RpcHub } from './ipc/rpc-hub';
import type { SupervisedChild } from './child-process/supervised-child';

const WORKERS_MS = 1000;
const RECORDER_MS = 1000;

/**
 * The primary's part of a scrape: gathers the figures of all workers and of the recorder. What a
 * worker had counted when it was last asked is kept after its end, so that sums never fall.
 */
export class MachineMetricsCollector {
  private readonly last = new Map<number, MetricFamily[]>();
  private past: Promise<MetricFamily[]> = Promise.resolve([]);

  /** @param hub null when the web part runs in this process */
  constructor(
    private readonly recorder: SupervisedChild,
    private readonly hub: RpcHub | null,
    handlers: RpcHandlers = primaryHandlers,
  ) {
    handlers.handle(MACHINE_TOPIC, (own, asker) => this.gather(own as MetricFamily[], asker));
    if (hub !== null) cluster.on('exit', ({ id }) => this.bury(id));
  }

  private async gather(own: MetricFamily[], asker: RpcCaller): Promise<MachineMetrics> {
    const [others, journal] = await Promise.all([
      this.hub?.collect(WEB_TOPIC, null, WORKERS_MS, asker) ?? new Map<number, unknown>(),
      this.askRecorder(),
    ]);
    if (asker !== undefined) others.set(asker, own);
    for (const [id, figures] of others) {
      // A worker that is only starting has nothing to say yet.
      if (figures) this.last.set(id, figures as MetricFamily[]);
    }
    // Read at one moment: a worker that ends meanwhile is in one of the two.
    const web = asker === undefined ? [own] : [...this.last.values()];
    return { web, past: await this.past, journal };
  }

  private async askRecorder(): Promise<JournalMetrics | null> {
    try {
      return (await this.recorder.call('status', {}, RECORDER_MS)) as unknown as JournalMetrics;
    } catch {
      return null;
    }
  }

  private bury(worker: number): void {
    const figures = this.last.get(worker);
    if (figures === undefined) return;
    this.last.delete(worker);
    const counted = figures.filter(({ type }) => type !== 'gauge');
    this.past = this.past.then((past) => aggregate([past, counted]));
  }
}
