/** A metric with its samples, as prom-client's registries hand them between processes. */
export interface MetricFamily {
  name: string;
  help: string;
  type: 'counter' | 'gauge' | 'histogram';
  /** How the samples of several processes become one. */
  aggregator: 'sum' | 'first';
  values: MetricSample[];
}

export interface MetricSample {
  value: number;
  labels: Partial<Record<string, string | number>>;
  metricName?: string;
}

/** What the recorder says of itself and of the journal that waits for it. */
export interface JournalMetrics {
  files: number;
  bytes: number;
  oldestMs: number | null;
  lastBatchSize: number;
  lastBatchMs: number;
  batches: number;
  clicks: number;
  batchMs: number;
}

/** What the statistics process says of itself. */
export interface StatisticsMetrics {
  /** Questions that were counted, and the time that took. */
  counted: number;
  countedMs: number;
  /** Refused because too much was asked, or given up. */
  refused: number;
  waiting: number;
  /** Memory of the clicks that are held for further questions. */
  heldBytes: number;
}

/** All that one scrape tells of this machine, whichever of its web processes answers. */
export interface MachineMetrics {
  /** The metrics of each web process. */
  web: MetricFamily[][];
  /** What workers had counted that are gone: it stays counted. */
  past: MetricFamily[];
  /** Null while the recorder does not answer. */
  journal: JournalMetrics | null;
  /** Null while the statistics process does not answer; undefined until somebody asks it. */
  statistics?: StatisticsMetrics | null;
}

/**
 * The metrics of several processes as those of one.
 * prom-client is loaded at the first call: most services are never scraped.
 */
export async function aggregate(processes: readonly MetricFamily[][]): Promise<MetricFamily[]> {
  const { AggregatorRegistry } = await import('prom-client');
  const families: unknown = await AggregatorRegistry.aggregate([...processes]).getMetricsAsJSON();
  return families as MetricFamily[];
}
