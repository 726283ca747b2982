import type { Breakdown, Figures } from '../engine/figures';
import type { Subject } from '../subject/subject';
import { listKey, pointOf } from './points';
import { reportFrame } from './report-frame';
import type { Point, StatisticsReport } from './statistics-report';

/** The whole answer of a statistics endpoint. */
export function reportOf(subject: Subject, figures: Figures): StatisticsReport {
  const { before, after } = reportFrame(subject, figures.summary);
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
