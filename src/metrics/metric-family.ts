import { BUCKET_SECONDS, type DurationFigures } from '../platform/meters/durations';

interface Sample {
  value: number;
  labels: Record<string, string | number>;
  metricName?: string;
}

/** A metric with its samples, in the form in which prom-client hands them between processes. */
export interface MetricFamily {
  name: string;
  help: string;
  type: 'counter' | 'gauge' | 'histogram';
  aggregator: 'sum';
  values: Sample[];
}

const family = (type: MetricFamily['type'], name: string, help: string, values: Sample[]) =>
  ({ name, help, type, aggregator: 'sum', values }) satisfies MetricFamily;

export function counter(name: string, help: string, value: number): MetricFamily {
  return family('counter', name, help, [{ value, labels: {} }]);
}

/** A counter with one sample for each value of a label. */
export function counterBy(
  name: string,
  help: string,
  label: string,
  values: Record<string, number>,
): MetricFamily {
  const samples = Object.entries(values).map(([key, value]) => ({
    value,
    labels: { [label]: key },
  }));
  return family('counter', name, help, samples);
}

export function gauge(name: string, help: string, value: number): MetricFamily {
  return family('gauge', name, help, [{ value, labels: {} }]);
}

export function histogram(name: string, help: string, figures: DurationFigures): MetricFamily {
  let cumulated = 0;
  const buckets = figures.counts.map((count, i): Sample => {
    cumulated += count;
    return {
      value: cumulated,
      labels: { le: BUCKET_SECONDS[i] ?? '+Inf' },
      metricName: `${name}_bucket`,
    };
  });
  return family('histogram', name, help, [
    ...buckets,
    { value: figures.sumSeconds, labels: {}, metricName: `${name}_sum` },
    { value: cumulated, labels: {}, metricName: `${name}_count` },
  ]);
}
