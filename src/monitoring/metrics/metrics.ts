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
