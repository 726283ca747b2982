import type { JobsMetrics } from '../../infrastructure/jobs/jobs.calls';
import type { StatisticsMetrics } from '../../analytics/statistics.calls';
import type { JournalMetrics } from '../../clicks/recorder/recorder.calls';
import type { MetricFamily } from './metrics';

/** All that one scrape tells of this machine, whichever of its web processes answers. */
export interface MachineMetrics {
  /** The metrics of each web process. */
  web: MetricFamily[][];
  /** Counts of workers that have ended, which stay counted. */
  past: MetricFamily[];
  /** Null while the recorder does not answer. */
  journal: JournalMetrics | null;
  /** Null while the statistics process does not answer; undefined until somebody asks it. */
  statistics?: StatisticsMetrics | null;
  /** Null while the jobs process does not answer; undefined until there is a job. */
  jobs?: JobsMetrics | null;
}

declare module '../../processes/rpc/primary-calls' {
  interface PrimaryCalls {
    /** The metrics of the whole machine; the asking process brings its own along. */
    'metrics.machine': { request: MetricFamily[]; response: MachineMetrics };
  }
  interface WebCalls {
    /** Undefined while the worker is only starting. */
    'metrics.web': { request: null; response: MetricFamily[] | undefined };
  }
}
