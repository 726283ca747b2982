import type { JobsMetrics } from '../../infrastructure/jobs/jobs.calls';
import { Injectable } from '@nestjs/common';
import { AggregatorRegistry, Counter, Gauge, Registry } from 'prom-client';
import { RecordingState } from '../../clicks/journal/recording-state';
import type { JournalMetrics } from '../../clicks/journal/journal.calls';
import type { StatisticsMetrics } from '../../analytics/engine/statistics-engine';
import type { MetricFamily } from './metrics';
import { WebMetricsService } from './web-metrics.service';

@Injectable()
export class MetricsService {
  constructor(
    private readonly processes: WebMetricsService,
    private readonly recordingState: RecordingState,
  ) {}

  async expose(): Promise<string> {
    const { web, past, journal, statistics, jobs } = await this.processes.machine();
    const isRecording = (await this.recordingState.advice()) === null;
    const recorder = await recorderMetrics(journal, isRecording);
    const counting = await statisticsMetrics(statistics);
    const working = await jobsMetrics(jobs);
    return AggregatorRegistry.aggregate([...web, past, recorder, counting, working]).metrics();
  }
}

async function recorderMetrics(
  journal: JournalMetrics | null,
  isRecording: boolean,
): Promise<MetricFamily[]> {
  const { gauge, counter, families } = metricsOfOne();
  gauge('curtail_recording_up', '0 while clicks are not recorded', Number(isRecording));
  gauge('curtail_recorder_up', '1 while the recorder responds', journal === null ? 0 : 1);
  if (journal !== null) {
    const { files, bytes, oldestMs, lastBatchSize, lastBatchMs, batches, clicks, batchMs } =
      journal;
    const { clickHouseUp } = journal;
    if (clickHouseUp !== null) {
      const took = '1 while ClickHouse accepts clicks';
      gauge('curtail_clickhouse_up', took, Number(clickHouseUp));
    }
    gauge('curtail_journal_files', 'Journal files that wait to be recorded', files);
    gauge('curtail_journal_bytes', 'Bytes in journal files that wait to be recorded', bytes);
    const oldest = 'Age of the oldest journal file that waits to be recorded';
    gauge('curtail_journal_oldest_seconds', oldest, (oldestMs ?? 0) / 1000);
    gauge('curtail_recorder_last_batch_clicks', 'Clicks in the last batch', lastBatchSize);
    const took = 'Duration of the last batch';
    gauge('curtail_recorder_last_batch_seconds', took, lastBatchMs / 1000);
    counter('curtail_recorder_batches_total', 'Batches recorded', batches);
    counter('curtail_recorder_clicks_total', 'Clicks recorded', clicks);
    counter('curtail_recorder_seconds_total', 'Time spent recording batches', batchMs / 1000);
  }
  return families();
}

async function statisticsMetrics(
  statistics: StatisticsMetrics | null | undefined,
): Promise<MetricFamily[]> {
  const { gauge, counter, families } = metricsOfOne();
  const up = '0 while the statistics process is down; 1 before its first use';
  gauge('curtail_statistics_up', up, statistics === null ? 0 : 1);
  if (statistics) {
    const { counted, countedMs, refused, waiting, heldBytes } = statistics;
    counter('curtail_statistics_counted_total', 'Completed queries', counted);
    counter(
      'curtail_statistics_seconds_total',
      'Time spent on counting for queries',
      countedMs / 1000,
    );
    const gaveUp = 'Queries rejected because of load, or cancelled';
    counter('curtail_statistics_refused_total', gaveUp, refused);
    gauge('curtail_statistics_waiting', 'Queries waiting to be counted', waiting);
    const held = 'Memory of clicks kept for further queries';
    gauge('curtail_statistics_held_bytes', held, heldBytes);
  }
  return families();
}

async function jobsMetrics(jobs: JobsMetrics | null | undefined): Promise<MetricFamily[]> {
  const { gauge, counter, families } = metricsOfOne();
  const up = '0 while the jobs process is down; 1 before its first use';
  gauge('curtail_jobs_up', up, jobs === null ? 0 : 1);
  if (jobs) {
    const { running, steps, stepMs, retries, done, failed } = jobs;
    gauge('curtail_jobs_running', 'Jobs running on this machine', running);
    counter('curtail_jobs_steps_total', 'Job steps that were completed', steps);
    counter('curtail_jobs_seconds_total', 'Time spent on job steps', stepMs / 1000);
    counter('curtail_jobs_retries_total', 'Job steps that failed and were retried', retries);
    counter('curtail_jobs_done_total', 'Jobs that were completed', done);
    counter('curtail_jobs_failed_total', 'Jobs that failed', failed);
  }
  return families();
}

function metricsOfOne() {
  const registry = new Registry();
  const registers = [registry];
  return {
    gauge: (name: string, help: string, value: number): void => {
      new Gauge({ name, help, registers }).set(value);
    },
    counter: (name: string, help: string, value: number): void => {
      new Counter({ name, help, registers }).inc(value);
    },
    families: async (): Promise<MetricFamily[]> => {
      const families: unknown = await registry.getMetricsAsJSON();
      return families as MetricFamily[];
    },
  };
}
