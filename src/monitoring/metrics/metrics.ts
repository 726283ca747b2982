import type { JobsMetrics } from '../../infrastructure/jobs/jobs.calls';
import type { StatisticsMetrics } from '../../analytics/engine/statistics-engine';
import type { JournalMetrics } from '../../clicks/journal/journal.calls';

export interface MetricFamily {
  name: string;
  help: string;
  type: 'counter' | 'gauge' | 'histogram';
  aggregator: 'sum' | 'first';
  values: MetricSample[];
}

export interface MetricSample {
  value: number;
  labels: Partial<Record<string, string | number>>;
  metricName?: string;
}

/** Loads prom-client lazily, because most services are never scraped. */
export async function aggregate(processes: readonly MetricFamily[][]): Promise<MetricFamily[]> {
  const { AggregatorRegistry } = await import('prom-client');
  const families: unknown = await AggregatorRegistry.aggregate([...processes]).getMetricsAsJSON();
  return families as MetricFamily[];
}

/** Metrics for this machine, identical no matter which web process is scraped. */
export interface MachineMetrics {
  web: MetricFamily[][];
  /** Counters from workers that have exited, so that totals do not fall. */
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
