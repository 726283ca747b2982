import type { JobsMetrics } from '../../infrastructure/jobs/jobs.calls';
import type { StatisticsMetrics } from '../../analytics/engine/statistics.calls';
import type { JournalMetrics } from '../../clicks/journal/journal.calls';
import type { MetricFamily } from './metrics';

/** Metrics of this machine, identical for every web process that is scraped. */
export interface MachineMetrics {
  web: MetricFamily[][];
  /** Counts of exited workers, which are kept. */
  past: MetricFamily[];
  /** Null if the recorder does not respond. */
  journal: JournalMetrics | null;
  /** Null if the statistics process does not respond; undefined before its first use. */
  statistics?: StatisticsMetrics | null;
  /** Null if the jobs process does not respond; undefined before the first job. */
  jobs?: JobsMetrics | null;
}

declare module '../../processes/rpc/primary-calls' {
  interface PrimaryCalls {
    'metrics.machine': { request: MetricFamily[]; response: MachineMetrics };
  }
  interface WebCalls {
    /** Undefined while the worker is starting. */
    'metrics.web': { request: null; response: MetricFamily[] | undefined };
  }
}
