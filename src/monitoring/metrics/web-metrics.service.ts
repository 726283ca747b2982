import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram, type Metric, Registry } from 'prom-client';
import { JournalWriter } from '../../clicks/journal/journal.writer';
import { version } from '../../common/package-info';
import { LimitMeter } from '../../infrastructure/meters/meters';
import { type Durations, RedirectMeter, SECONDS } from '../../infrastructure/meters/redirect-meter';
import { DatabaseCommands } from '../../infrastructure/mongo/database-commands';
import { BlockedDestinations } from '../../blocklists/blocked-destinations';
import { LinkCache } from '../../links/cache/link-cache';
import type { ListState } from '../../blocklists/lists/watched-list';
import { PrimaryClient } from '../../processes/rpc/primary-client';
import type { MachineMetrics, MetricFamily, MetricSample } from './metrics';

const MACHINE_METRICS_MS = 5000;

/** Metrics for this web process. Counters are plain numbers that each scrape reads. */
@Injectable()
export class WebMetricsService {
  private readonly registry = new Registry();
  private readonly registers = [this.registry];

  constructor(
    private readonly primary: PrimaryClient,
    redirects: RedirectMeter,
    limits: LimitMeter,
    links: LinkCache,
    journal: JournalWriter,
    commands: DatabaseCommands,
    blocked: BlockedDestinations,
  ) {
    this.describeProcess();
    this.describeRedirects(redirects);
    this.counter('curtail_link_cache_lookups_total', 'Lookups in the link cache', 'result', () => ({
      hit: links.hits,
      miss: links.misses,
    }));
    this.counter(
      'curtail_requests_limited_total',
      'Requests rejected with 429, by rate limit',
      'limit',
      () => limits.refusals(),
    );
    this.describeDatabase(commands);
    this.describeJournal(journal);
    this.describeLists(blocked);
    primary.handlers.handle('metrics.web', () => this.own());
  }

  async machine(): Promise<MachineMetrics> {
    return this.primary.call('metrics.machine', await this.own(), MACHINE_METRICS_MS);
  }

  private async own(): Promise<MetricFamily[]> {
    const families: unknown = await this.registry.getMetricsAsJSON();
    return families as MetricFamily[];
  }

  private describeProcess(): void {
    new Gauge({
      name: 'curtail_info',
      help: 'The running version',
      labelNames: ['version'],
      aggregator: 'first',
      registers: this.registers,
    }).set({ version: version() }, 1);
    const processes = 'Web processes that responded to this scrape';
    this.gauge('curtail_web_processes', processes, () => 1);
    const memory = 'Memory of all web processes';
    this.gauge('curtail_web_resident_bytes', memory, () => process.memoryUsage.rss());
  }

  private describeRedirects({ outcomes, durations }: RedirectMeter): void {
    this.counter(
      'curtail_redirects_total',
      'Visits of short URLs by outcome; redirected visits are clicks',
      'outcome',
      () => outcomes,
    );
    this.registry.registerMetric(
      toHistogram(
        'curtail_redirect_duration_seconds',
        'From the arrival of a request to its redirect',
        durations,
      ),
    );
  }

  private describeDatabase(commands: DatabaseCommands): void {
    const durations = new Histogram({
      name: 'curtail_database_command_duration_seconds',
      help: 'Database commands of the web processes',
      buckets: [...SECONDS],
      registers: this.registers,
    });
    const failures = new Counter({
      name: 'curtail_database_command_failures_total',
      help: 'Database commands that failed',
      registers: this.registers,
    });
    commands.watch((duration, failed) => {
      durations.observe(duration / 1000);
      if (failed) failures.inc();
    });
  }

  private describeJournal(journal: JournalWriter): void {
    new Counter({
      name: 'curtail_clicks_lost_total',
      help: 'Redirects whose click was lost because disk and memory were full',
      registers: this.registers,
      collect() {
        this.reset();
        this.inc(journal.lost);
      },
    });
    this.gauge(
      'curtail_journal_backlog_bytes',
      'Clicks in memory because they cannot be written to disk',
      () => journal.pendingBytes,
    );
  }

  /** These metrics are not summed over processes, because all processes have the same lists. */
  private describeLists(blocked: BlockedDestinations): void {
    const describe = (name: string, help: string, read: (list: ListState) => number): void => {
      new Gauge({
        name,
        help,
        labelNames: ['list'],
        aggregator: 'max',
        registers: this.registers,
        collect() {
          for (const [list, state] of Object.entries(blocked.lists())) {
            this.set({ list }, read(state));
          }
        },
      });
    };
    describe(
      'curtail_blocklist_entries',
      'Entries of BLOCKED_HOSTS_FILE and BLOCKED_URLS_FILE',
      ({ entries }) => entries,
    );
    describe(
      'curtail_blocklist_unreadable_lines',
      'Skipped lines of BLOCKED_HOSTS_FILE and BLOCKED_URLS_FILE',
      ({ unreadable }) => unreadable.total,
    );
    describe('curtail_blocklist_failed', '1 while a blocklist file cannot be read', ({ error }) =>
      error === null ? 0 : 1,
    );
  }

  private counter(
    name: string,
    help: string,
    label: string,
    read: () => Record<string, number>,
  ): void {
    new Counter({
      name,
      help,
      labelNames: [label],
      registers: this.registers,
      collect() {
        this.reset();
        for (const [value, count] of Object.entries(read())) this.inc({ [label]: value }, count);
      },
    });
  }

  private gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: this.registers,
      collect() {
        this.set(read());
      },
    });
  }
}

/** Converts a histogram, because prom-client accepts only single observations. */
function toHistogram(name: string, help: string, durations: Durations): Metric {
  const family = { name, help, type: 'histogram', aggregator: 'sum' } as const;
  const get = () => Promise.resolve({ ...family, values: histogramSamples(name, durations) });
  return { ...family, get } as unknown as Metric;
}

function histogramSamples(name: string, { counts, sumMs }: Durations): MetricSample[] {
  let cumulated = 0;
  const buckets = Array.from(counts, (count, i): MetricSample => {
    cumulated += count;
    return {
      value: cumulated,
      labels: { le: SECONDS[i] ?? '+Inf' },
      metricName: `${name}_bucket`,
    };
  });
  return [
    ...buckets,
    { value: sumMs / 1000, labels: {}, metricName: `${name}_sum` },
    { value: cumulated, labels: {}, metricName: `${name}_count` },
  ];
}
