import { Injectable } from '@nestjs/common';
import {
  type Audience,
  MAX_RESULT_ROWS,
  type Source,
} from '../engines/click-engine/query/statistics-query';
import { type StatisticsClient, StatisticsEngine } from './engine/statistics-engine';

/** Counts clicks of all times by one dimension. */
@Injectable()
export class AudienceClicksService {
  constructor(private readonly engine: StatisticsEngine) {}

  async countBy(
    dimension: 'audience' | 'short_code' | 'tag',
    source: Source,
    client: StatisticsClient,
    audience: Audience = 'all',
  ): Promise<ReadonlyMap<string, number>> {
    const range = { start: 0, end: Date.now() };
    const query = { ...range, dimensions: [dimension], audience, filters: {}, buckets: null };
    const question = { source, query, client, requestKey: null, clicks: null, isPublic: false };
    const { labels = [], clicks = [] } =
      (await this.engine.count(question, MAX_RESULT_ROWS)).breakdowns[dimension] ?? {};
    return new Map(labels.map((label, at) => [label, clicks[at] ?? 0]));
  }
}
