import type { Click } from '../../engines/click-engine/chunk/click';
import {
  type CountedDimension,
  type CountSeries,
  type ImportedCounts,
  TOTAL_ALONE,
} from '../../stores/imported-counts/imported-counts';
import type { SingleClicks } from '../../stores/imported-counts/imported-counts.repository';
import { seriesTogether } from '../../stores/imported-counts/series-builder';

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
  return (
    { id: linkId, counts }: CountsOfLink,
    { list: clicks }: { readonly list: readonly Click[] },
    { total, taken }: SingleClicks,
  ): ImportedCounts => {
    const days = new Map(
      (counts?.units.starts ?? []).map((at, i) => [at, counts?.units.clicks[i] ?? 0]),
    );
    for (const { at } of clicks) increment(days, at - (at % DAY_MS));
    const sorted = [...days].sort(([a], [b]) => a - b);
    const [first, last] = minMax(clicks);
    return {
      linkId,
      ...about,
      granularity: 'day',
      timezone: 'UTC',
      clicks: Math.max(total, taken),
      from: Math.min(counts?.from ?? Infinity, first),
      to: Math.max(counts?.to ?? 0, last),
      units: { starts: sorted.map(([at]) => at), clicks: sorted.map(([, count]) => count) },
      by: Object.fromEntries(
        Object.entries(CLICK_LABELS).map(([name, labelOf]) => {
          const values = new Map(counts?.by[name as CountedDimension]);
          for (const click of clicks) increment(values, labelOf(click));
          return [name, values];
        }),
      ),
    };
  };
}

function increment<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function minMax(clicks: readonly Click[]): [number, number] {
  let [min, max] = [Infinity, 0];
  for (const { at } of clicks) [min, max] = [Math.min(min, at), Math.max(max, at)];
  return [min, max];
}
