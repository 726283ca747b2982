import { strategyFor } from '../calendar/time-buckets';
import { zonedIso } from '../calendar/zoned-iso';
import type { Summary } from '../engine/figures';
import type { StatisticsScope } from '../subject/subject';
import { percentage, twoDecimals } from './rounding';
import type {
  ComputedMetricsResponse,
  StatisticsResponseFrame,
  SummaryResponse,
} from './statistics-report';
import { timeBucketInfo } from './time-bucket-info';

/** Everything of a report that is not a list. */
export function statisticsResponseFrame(
  subject: StatisticsScope,
  summary: Summary,
  now = Date.now(),
): StatisticsResponseFrame {
  const { scope, query, period, shortCode, link } = subject;
  const { start, end, timezone } = period;
  return {
    before: {
      scope,
      filters: query.filters,
      group_by: query.groupBy,
      timezone,
      time_range: { start_date: zonedIso(start, timezone), end_date: zonedIso(end, timezone) },
      summary: summaryAnswer(summary),
    },
    after: {
      generated_at: new Date(now).toISOString(),
      api_version: 'v1',
      ...(shortCode === null ? {} : { short_code: shortCode }),
      ...(query.groupBy.includes('time')
        ? { time_bucket_info: timeBucketInfo(strategyFor(start, end), timezone) }
        : {}),
      computed_metrics: computedMetrics(summary),
      ...(link === null ? {} : { url_id: link.id, alias: link.alias }),
    },
  };
}

function summaryAnswer({ clicks, visitors, first, last, redirectMs }: Summary): SummaryResponse {
  return {
    total_clicks: clicks,
    unique_clicks: visitors,
    first_click: first === null ? null : new Date(first).toISOString(),
    last_click: last === null ? null : new Date(last.at).toISOString(),
    avg_redirection_time: clicks === 0 ? null : twoDecimals(redirectMs / clicks),
  };
}

function computedMetrics({ clicks, visitors }: Summary): ComputedMetricsResponse | null {
  if (clicks === 0) return null;
  const rate = percentage(visitors, clicks);
  return {
    unique_click_rate: rate,
    repeat_click_rate: twoDecimals(100 - rate),
    average_clicks_per_visitor: twoDecimals(clicks / visitors),
  };
}
