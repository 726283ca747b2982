import type { Click } from '../../engines/click-engine/chunk/click';
import {
  type CountedDimension,
  COUNTED_DIMENSIONS,
  type CountSeries,
  type ImportedCounts,
  TOTAL_ALONE,
} from '../../stores/imported-counts/imported-counts';
import type { SingleClicks } from '../../stores/imported-counts/imported-counts.repository';
import { SeriesBuilder, seriesTogether } from '../../stores/imported-counts/series-builder';

const DAY_MS = 86_400_000;

export const CLICK_LABELS: Readonly<Record<CountedDimension, (click: Click) => string>> = {
  browser: ({ browser }) => browser ?? 'Unknown',
  os: ({ os }) => os ?? 'Unknown',
  country: ({ country }) => country ?? 'Unknown',
  city: ({ city }) => city ?? 'Unknown',
  referrer: ({ referrer }) => referrer ?? 'Direct',
  device: ({ device }) => device,
};

interface CountsOfLink {
  readonly id: string;
  readonly counts: ImportedCounts | null;
}

/** Stores only the clicks that the source counts in total but does not list individually. */
export function countsBeyond(
  { counts }: CountsOfLink,
  _visits: unknown,
  { total, taken }: SingleClicks,
): ImportedCounts | null {
  return counts && { ...counts, clicks: Math.max(0, total - taken) };
}

/** For sources that report visit sums in addition to a total. */
export function countsTogether(about: Pick<ImportedCounts, 'importId' | 'ownerId' | 'source'>) {
  return (
    { id: linkId, counts }: CountsOfLink,
    visits: { readonly counts: CountSeries },
    { total, taken }: SingleClicks,
  ): ImportedCounts => ({
    linkId,
    ...about,
    ...seriesTogether(counts ?? TOTAL_ALONE, visits.counts),
    clicks: Math.max(total, taken),
  });
}

/** Sums individual clicks by UTC day and by dimension. */
export function countsByDay(about: Pick<ImportedCounts, 'importId' | 'ownerId' | 'source'>) {
  const together = countsTogether(about);
  return (
    link: CountsOfLink,
    { list }: { readonly list: readonly Click[] },
    singles: SingleClicks,
  ): ImportedCounts => together(link, { counts: daysOfClicks(list) }, singles);
}

function daysOfClicks(clicks: readonly Click[]): CountSeries {
  const days = new SeriesBuilder({ granularity: 'day', timezone: 'UTC' });
  for (const click of clicks) {
    days.addUnit(click.at - (click.at % DAY_MS), 1);
    days.addSpan(click.at, click.at);
    for (const name of COUNTED_DIMENSIONS) days.addValue(name, CLICK_LABELS[name](click), 1);
  }
  return days.build();
}
