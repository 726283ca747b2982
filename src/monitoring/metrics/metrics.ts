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

/**
 * The metrics of several processes as those of one.
 * prom-client is loaded at the first call: most services are never scraped.
 */
export async function aggregate(processes: readonly MetricFamily[][]): Promise<MetricFamily[]> {
  const { AggregatorRegistry } = await import('prom-client');
  const families: unknown = await AggregatorRegistry.aggregate([...processes]).getMetricsAsJSON();
  return families as MetricFamily[];
}
