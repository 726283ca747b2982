import { EventEmitter } from 'node:events';
import type { Connection } from 'mongoose';
import type { RecordingState } from '../../clicks/journal/recording-state';
import type { JournalWriter } from '../../clicks/journal/journal.writer';
import { LimitMeter } from '../../infrastructure/meters/meters';
import { RedirectMeter } from '../../infrastructure/meters/redirect-meter';
import { DatabaseCommands } from '../../infrastructure/mongo/database-commands';
import type { BlockedDestinations } from '../../blocklists/blocked-destinations';
import type { LinkCache } from '../../links/cache/link-cache';
import { LocalPrimaryClient, primaryHandlers } from '../../processes/rpc/primary-client';
import { aggregate, type MetricFamily } from './metrics';
import { MetricsService } from './metrics.service';
import { WebMetricsService } from './web-metrics.service';

const UNSET = {
  ...{ file: null, entries: 0, version: '', unreadable: { total: 0, lines: [] } },
  ...{ loadedAt: null, error: null },
};
const NOT_RECORDING = { advice: () => Promise.resolve('wait') } as unknown as RecordingState;
const HOSTS = { ...UNSET, file: 'hosts', entries: 5, unreadable: { total: 3, lines: [] } };
const LISTS = { hosts: { ...HOSTS, error: 'must name a file that exists' }, urls: UNSET };

/** A web process with meters, whose primary has no other worker and no recorder. */
function aProcess() {
  const redirects = new RedirectMeter();
  const limits = new LimitMeter();
  const connection = new EventEmitter();
  primaryHandlers.handle('metrics.machine', (own) => ({ web: [own], past: [], journal: null }));
  const service = new WebMetricsService(
    new LocalPrimaryClient(),
    redirects,
    limits,
    { hits: 3, misses: 1 } as LinkCache,
    { lost: 2, pendingBytes: 77 } as JournalWriter,
    new DatabaseCommands(connection as unknown as Connection),
    { lists: () => LISTS } as unknown as BlockedDestinations,
  );
  return { redirects, limits, connection, service };
}

const own = async (service: WebMetricsService): Promise<MetricFamily[]> =>
  JSON.parse(JSON.stringify((await service.machine()).web[0])) as MetricFamily[];

const samples = (families: MetricFamily[], name: string) =>
  families.find((family) => family.name === name)?.values;

describe('the metrics of a web process', () => {
  it("are read from the process's meters at each request, and never accumulated", async () => {
    const { redirects, limits, service } = aProcess();
    redirects.outcomes.gone = 4;
    limits.refused('links.create');
    limits.refused('links.create');
    const lines = async () =>
      (await new MetricsService(service, NOT_RECORDING).expose()).split('\n');
    await lines();
    expect(await lines()).toEqual(
      expect.arrayContaining([
        'curtail_redirects_total{outcome="gone"} 4',
        'curtail_redirects_total{outcome="redirected"} 0',
        'curtail_link_cache_lookups_total{result="hit"} 3',
        'curtail_link_cache_lookups_total{result="miss"} 1',
        'curtail_requests_limited_total{limit="links.create"} 2',
        'curtail_clicks_lost_total 2',
        'curtail_journal_backlog_bytes 77',
        'curtail_web_processes 1',
        'curtail_recorder_up 0',
        'curtail_recording_up 0',
        'curtail_blocklist_entries{list="hosts"} 5',
        'curtail_blocklist_unreadable_lines{list="hosts"} 3',
        'curtail_blocklist_failed{list="hosts"} 1',
        'curtail_blocklist_failed{list="urls"} 0',
      ]),
    );
  });

  it('count durations in cumulative buckets, and the longest in the last bucket', async () => {
    const { redirects, connection, service } = aProcess();
    for (const ms of [0.2, 0.25, 3, 99_999]) redirects.durations.observe(ms);
    connection.emit('commandSucceeded', { duration: 3 });
    connection.emit('commandFailed', { duration: 4 });
    const text = await new MetricsService(service, NOT_RECORDING).expose();
    const redirect = 'curtail_redirect_duration_seconds';
    for (const line of [
      `${redirect}_bucket{le="0.00025"} 2`,
      `${redirect}_bucket{le="0.0025"} 2`,
      `${redirect}_bucket{le="0.005"} 3`,
      `${redirect}_bucket{le="5"} 3`,
      `${redirect}_bucket{le="+Inf"} 4`,
      `${redirect}_count 4`,
      'curtail_database_command_duration_seconds_bucket{le="0.0025"} 0',
      'curtail_database_command_duration_seconds_bucket{le="0.005"} 2',
      'curtail_database_command_duration_seconds_sum 0.007',
      'curtail_database_command_failures_total 1',
    ]) {
      expect(text.split('\n')).toContain(line);
    }
  });

  it('are added up over all processes, except the version', async () => {
    const [a, b] = [aProcess(), aProcess()];
    a.limits.refused('links.create');
    a.limits.refused('auth.login');
    b.limits.refused('links.create');
    a.redirects.durations.observe(1);
    b.redirects.durations.observe(1);
    const both = await aggregate([await own(a.service), await own(b.service)]);
    expect(samples(both, 'curtail_requests_limited_total')).toEqual([
      { value: 2, labels: { limit: 'links.create' } },
      { value: 1, labels: { limit: 'auth.login' } },
    ]);
    expect(samples(both, 'curtail_web_processes')).toEqual([{ value: 2, labels: {} }]);
    expect(samples(both, 'curtail_info')).toMatchObject([{ value: 1 }]);
    const durations = samples(both, 'curtail_redirect_duration_seconds') ?? [];
    expect(durations.find(({ metricName }) => metricName?.endsWith('_count'))?.value).toBe(2);
    expect(await aggregate([both])).toEqual(both);
  });
});
