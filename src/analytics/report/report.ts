import type { Breakdown, StatisticsResult } from '../engine/figures';
import type { StatisticsScope } from '../subject/subject';
import { listKey, pointOf } from './points';
import { statisticsResponseFrame } from './report-frame';
import type { Point, StatisticsResponse } from './statistics-report';

/** The whole answer of a statistics endpoint. */
export function toStatisticsResponse(
  subject: StatisticsScope,
  figures: StatisticsResult,
): StatisticsResponse {
  const { before, after } = statisticsResponseFrame(subject, figures.summary);
  const metrics: Record<string, Point[]> = {};
  for (const dimension of subject.query.groupBy) {
    const breakdown = figures.breakdowns[dimension];
    if (breakdown === undefined) throw new RangeError(`No figures by ${dimension}`);
    const rows = rowsOf(breakdown);
    for (const metric of subject.query.metrics) {
      metrics[listKey(metric, dimension)] = rows.map((row) =>
        pointOf(row, metric, dimension, breakdown),
      );
    }
  }
  return { ...before, metrics, ...after };
}

function rowsOf({ labels, clicks, visitors }: Breakdown) {
  return labels.map((label, i) => ({
    label,
    clicks: clicks[i] ?? 0,
    visitors: visitors[i] ?? 0,
  }));
}
