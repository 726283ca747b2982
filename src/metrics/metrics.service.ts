import { Injectable } from '@nestjs/common';
import { AggregatorRegistry, Counter, Gauge, Registry } from 'prom-client';
import type { JournalMetrics, MetricFamily } from './metrics';
import { WebMetricsService } from './web-metrics.service';

/** What GET /metrics answers: the whole machine, in Prometheus' text form. */
@Injectable()
export class MetricsService {
  constructor(private readonly processes: WebMetricsService) {}

  async expose(): Promise<string> {
    const { web, past, journal } = await this.processes.machine();
    const recorder = await recorderMetrics(journal);
    return AggregatorRegistry.aggregate([...web, past, recorder]).metrics();
  }
}

/** @param journal null while the recorder does not answer */
async function recorderMetrics(journal: JournalMetrics | null): Promise<MetricFamily[]> {
  const registry = new Registry();
  const registers = [registry];
  const gauge = (name: string, help: string, value: number): void => {
    new Gauge({ name, help, registers }).set(value);
  };
  const counter = (name: string, help: string, value: number): void => {
    new Counter({ name, help, registers }).inc(value);
  };
  gauge('curtail_recorder_up', '1 while the recorder answers', journal === null ? 0 : 1);
  if (journal !== null) {
    const { files, bytes, oldestMs, lastBatchSize, lastBatchMs, batches, clicks, batchMs } =
      journal;
    gauge('curtail_journal_files', 'Journal files that wait to be recorded', files);
    gauge('curtail_journal_bytes', 'Bytes in these files', bytes);
    const oldest = 'Age of the oldest waiting file';
    gauge('curtail_journal_oldest_seconds', oldest, (oldestMs ?? 0) / 1000);
    gauge('curtail_recorder_last_batch_clicks', 'Clicks of the last batch', lastBatchSize);
    const took = 'Time that the last batch took';
    gauge('curtail_recorder_last_batch_seconds', took, lastBatchMs / 1000);
    counter('curtail_recorder_batches_total', 'Batches recorded', batches);
    counter('curtail_recorder_clicks_total', 'Clicks recorded', clicks);
    counter('curtail_recorder_seconds_total', 'Time spent on batches', batchMs / 1000);
  }
  const families: unknown = await registry.getMetricsAsJSON();
  return families as MetricFamily[];
}
