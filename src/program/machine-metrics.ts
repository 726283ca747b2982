import type { MachineState } from '../moderation/administration/overview/overview.service';
import { type JournalMetrics, type RecorderCalls } from '../clicks/journal/journal.calls';
import { type MachineMetrics, aggregate, type MetricFamily } from '../monitoring/metrics/metrics';
import type { StatisticsMetrics } from '../analytics/engine/statistics-engine';
import type { JobsMetrics } from '../infrastructure/jobs/jobs.calls';
import { primaryHandlers } from '../processes/rpc/primary-client';
import type { RpcCaller } from '../processes/rpc/rpc';
import type { RpcHub } from '../processes/rpc/rpc-hub';
import type { SupervisedChild } from '../processes/child-process/supervised-child';
import type { JobsChild } from './jobs-child';
import type { StatisticsChild } from './statistics-child';

const WORKERS_SCRAPE_MS = 1000;
const RECORDER_MS = 1000;
/** Maximum normal recorder downtime, longer than a restart takes. */
const RECORDER_DOWN_MS = 10_000;
const STATISTICS_MS = 1000;
const JOBS_STATUS_MS = 1000;

export interface MachineProcesses {
  readonly recorder: SupervisedChild<RecorderCalls>;
  readonly statistics: StatisticsChild;
  readonly jobs: JobsChild;
}

/** Keeps the last counts of workers that have ended, so that sums never decrease. */
export class MachineMetricsCollector {
  private readonly last = new Map<number, MetricFamily[]>();
  private past: Promise<MetricFamily[]> = Promise.resolve([]);

  /** @param hub null if this process is the only web process */
  constructor(
    private readonly processes: MachineProcesses,
    private readonly hub: RpcHub | null,
  ) {
    primaryHandlers.handle('metrics.machine', (own, caller) => this.gather(own, caller));
    primaryHandlers.handle('machine.state', () => this.state());
    primaryHandlers.handle('recording.advice', ({ isJournalFailing }, caller) =>
      this.recordingAdvice(isJournalFailing, caller),
    );
    hub?.onExit((worker) => this.keepCounters(worker));
  }

  private async gather(own: MetricFamily[], caller: RpcCaller): Promise<MachineMetrics> {
    const [others, journal, statistics, jobs] = await Promise.all([
      this.hub?.callAll('metrics.web', null, WORKERS_SCRAPE_MS, caller),
      this.askRecorder(),
      this.askStatistics(),
      this.askJobs(),
    ]);
    if (caller !== undefined) this.last.set(caller, own);
    for (const [id, figures] of others?.responses ?? []) {
      // A worker that is starting has no figures yet.
      if (figures !== undefined) this.last.set(id, figures);
    }
    // Both are read at the same time, so that a worker that ends is counted exactly once.
    const web = caller === undefined ? [own] : [...this.last.values()];
    return { web, past: await this.past, journal, statistics, jobs };
  }

  private async state(): Promise<MachineState> {
    return { startedAt: performance.timeOrigin, journal: await this.askRecorder() };
  }

  private async recordingAdvice(
    isJournalFailing: boolean,
    caller: RpcCaller,
  ): Promise<string | null> {
    const [others, journal] = await Promise.all([
      this.hub?.callAll('journal.failing', null, WORKERS_SCRAPE_MS, caller),
      this.askRecorder(),
    ]);
    if (isJournalFailing || [...(others?.responses.values() ?? [])].includes(true)) {
      return 'Clicks are only in memory: make DATA_DIR writable and free space on its disk';
    }
    const { downMs } = this.processes.recorder;
    if (downMs !== null && downMs >= RECORDER_DOWN_MS) {
      return 'Clicks wait in the journal: see the log for why the recorder does not start';
    }
    return journal?.advice ?? null;
  }

  private async askRecorder(): Promise<JournalMetrics | null> {
    try {
      return await this.processes.recorder.call('status', null, RECORDER_MS);
    } catch {
      return null;
    }
  }

  private async askStatistics(): Promise<StatisticsMetrics | null | undefined> {
    try {
      return await this.processes.statistics.callIfUp('status', null, STATISTICS_MS);
    } catch {
      return null;
    }
  }

  private async askJobs(): Promise<JobsMetrics | null | undefined> {
    try {
      return await this.processes.jobs.status(JOBS_STATUS_MS);
    } catch {
      return null;
    }
  }

  private keepCounters(worker: number): void {
    const figures = this.last.get(worker);
    if (figures === undefined) return;
    this.last.delete(worker);
    const counted = figures.filter(({ type }) => type !== 'gauge');
    this.past = this.past.then((past) => aggregate([past, counted]));
  }
}
