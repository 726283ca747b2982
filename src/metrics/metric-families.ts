import { version } from '../common/package-info';
import { BUCKET_SECONDS, type DurationFigures } from '../infrastructure/meters/meters';
import { type JournalMetrics, type MachineMetrics, sum, type WebCounters } from './metrics';

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

/** The metrics of a machine; names and units follow Prometheus' own conventions. */
export function metricFamilies({ web, past, journal }: MachineMetrics): MetricFamily[] {
  const counters = [...web.map((one) => one.counters), ...(past === null ? [] : [past])];
  const bytes = (of: (one: (typeof web)[number]) => number): number =>
    web.map(of).reduce((total, value) => total + value, 0);
  return [
    { ...gauge('curtail_info', 'The running version', 1), values: [versionSample()] },
    gauge('curtail_web_processes', 'Web processes that answered this scrape', web.length),
    gauge(
      'curtail_web_resident_bytes',
      'Memory of all web processes',
      bytes((one) => one.residentBytes),
    ),
    ...webFamilies(counters.reduce(sum)),
    gauge(
      'curtail_journal_backlog_bytes',
      'Clicks in memory because the disk refuses them',
      bytes((one) => one.backlogBytes),
    ),
    gauge('curtail_recorder_up', '1 while the recorder answers', journal === null ? 0 : 1),
    ...(journal === null ? [] : journalFamilies(journal)),
  ];
}

function versionSample() {
  return { value: 1, labels: { version: version() } };
}

function webFamilies(counters: WebCounters): MetricFamily[] {
  const { cacheHits, cacheMisses } = counters;
  const redirects = 'Visits to short paths by how they ended; redirected ones are clicks';
  return [
    counterBy('curtail_redirects_total', redirects, 'outcome', counters.redirects),
    histogram(
      'curtail_redirect_duration_seconds',
      'From the arrival of a request to its redirect',
      counters.redirectDurations,
    ),
    counterBy('curtail_link_cache_lookups_total', 'Look-ups of links in memory', 'result', {
      hit: cacheHits,
      miss: cacheMisses,
    }),
    counterBy(
      'curtail_requests_limited_total',
      'Requests answered 429, by row of the limits table',
      'limit',
      counters.limited,
    ),
    histogram(
      'curtail_database_command_duration_seconds',
      'Database commands of the web processes',
      counters.databaseDurations,
    ),
    counter(
      'curtail_database_command_failures_total',
      'Database commands that failed',
      counters.databaseFailures,
    ),
    counter(
      'curtail_clicks_lost_total',
      'Redirects whose click found no room on the disk nor in memory',
      counters.clicksLost,
    ),
  ];
}

function journalFamilies(journal: JournalMetrics): MetricFamily[] {
  return [
    gauge('curtail_journal_files', 'Journal files that wait to be recorded', journal.files),
    gauge('curtail_journal_bytes', 'Bytes in these files', journal.bytes),
    gauge(
      'curtail_journal_oldest_seconds',
      'Age of the oldest waiting file',
      (journal.oldestMs ?? 0) / 1000,
    ),
    gauge('curtail_recorder_last_batch_clicks', 'Clicks of the last batch', journal.lastBatchSize),
    gauge(
      'curtail_recorder_last_batch_seconds',
      'Time that the last batch took',
      journal.lastBatchMs / 1000,
    ),
    counter('curtail_recorder_batches_total', 'Batches recorded', journal.batches),
    counter('curtail_recorder_clicks_total', 'Clicks recorded', journal.clicks),
    counter('curtail_recorder_seconds_total', 'Time spent on batches', journal.batchMs / 1000),
  ];
}
