import { createHash } from 'node:crypto';
import type { FoundVisit, VisitList, VisitPages } from '../reading/import-reader';
import type { SeenVisits } from '../store/imported-links.repository';

/** Maximum visits per second to compare by content; any beyond that are compared by index. */
const MAX_OF_SECOND = 1000;

export interface Reading {
  /** Number of visits when reading began; the next run imports later visits. */
  readonly total: number;
  /** Lowest visit index read so far; index 0 is the oldest visit. */
  readonly below: number;
  readonly size: number;
  readonly seen: SeenVisits;
  /** Second of the newest visit read, and digests of the visits in that second. */
  readonly newest: { readonly second: number | null; readonly digests: readonly string[] };
  /** Digests of visits in the last imported second that this run has not matched yet. */
  readonly left: readonly string[];
}

export interface ReadVisits {
  /** New visits, oldest first. */
  readonly visits: readonly FoundVisit[];
  /** Position at which the next step continues; null once all visits are read. */
  readonly reading: Reading | null;
  readonly after: Omit<SeenVisits, 'dropped' | 'taken'>;
}

const MAX_READ_TRIES = 5;

/**
 * Indexes visits from the oldest, because new visits shift the newest-first list. Visits in the
 * last imported second may change order, so they are matched by content (docs/contract.md#22.6).
 */
export async function readNewVisits(
  { page: ask, unsteady }: VisitPages,
  base: SeenVisits,
  from: Reading | null,
  maxPages: number,
): Promise<ReadVisits> {
  let reading = from;
  const found: FoundVisit[] = [];
  let [pages, tries, page] = [0, 0, reading === null ? 1 : pageNumber(reading, reading.total)];
  for (;;) {
    const list = await ask(page);
    if (list === null) return toReadVisits(reading, base, found);
    reading ??= begun(list, base);
    if (list.total < reading.total) return toReadVisits(reading, base, found);
    const taken = takePage(list, reading);
    if (taken === null) {
      if (++tries >= MAX_READ_TRIES) throw unsteady();
      page = pageNumber(reading, list.total);
      continue;
    }
    tries = 0;
    found.push(...taken.visits);
    reading = taken.reading;
    if (taken.isEnd) return toReadVisits(reading, base, found);
    if (++pages >= maxPages)
      return { visits: found.reverse(), reading, after: toSeenVisits(reading) };
    page = pageNumber(reading, list.total);
  }
}

function begun({ total, size }: VisitList, seen: SeenVisits): Reading {
  const newest = { second: null, digests: [] };
  return { total, below: total, size, seen, newest, left: seen.digests };
}

function pageNumber({ below, size }: Reading, total: number): number {
  return Math.floor((total - below) / size) + 1;
}

/** Null if the page is not adjacent to the visits already read. */
function takePage(
  { total, first, visits }: VisitList,
  reading: Reading,
): { visits: FoundVisit[]; reading: Reading; isEnd: boolean } | null {
  const { seen } = reading;
  if (reading.below <= 0 || reading.total <= seen.count) {
    return { visits: [], reading, isEnd: true };
  }
  const taken: FoundVisit[] = [];
  let { below, newest } = reading;
  const left = [...reading.left];
  for (const [i, visit] of visits.entries()) {
    const place = total - 1 - first - i;
    if (place >= below) continue;
    if (place !== below - 1) return null;
    below = place;
    const second = visitSecond(visit);
    if (newest.second === null) newest = { second, digests: [] };
    if (second === newest.second && newest.digests.length < MAX_OF_SECOND) {
      newest = { second, digests: [...newest.digests, visitDigest(visit)] };
    }
    const isBorder = seen.digests.length > 0 && second === seen.second;
    if (isBorder) {
      const known = left.indexOf(visitDigest(visit));
      if (known === -1) taken.push(visit);
      else left.splice(known, 1);
    } else if (place >= seen.count) taken.push(visit);
    const isBehind = second === null || seen.second === null || second < seen.second;
    if (place <= seen.count && (isBehind || seen.digests.length === 0)) {
      return {
        visits: taken,
        reading: { ...reading, below, newest, left },
        isEnd: place <= seen.count,
      };
    }
  }
  if (below === reading.below) return null;
  return { visits: taken, reading: { ...reading, below, newest, left }, isEnd: below <= 0 };
}

function toReadVisits(reading: Reading | null, base: SeenVisits, found: FoundVisit[]): ReadVisits {
  const after = reading === null ? base : toSeenVisits(reading);
  return { visits: found.reverse(), reading: null, after };
}

function toSeenVisits({ total, newest, seen }: Reading): Omit<SeenVisits, 'dropped' | 'taken'> {
  if (newest.second === null) return { ...seen, count: total };
  const isFull = newest.digests.length >= MAX_OF_SECOND;
  return { count: total, second: newest.second, digests: isFull ? [] : newest.digests };
}

function visitSecond({ at }: FoundVisit): number | null {
  return at === null ? null : Math.floor(at / 1000) * 1000;
}

/** The digest ignores the location, because services may look up locations later. */
function visitDigest({ at, userAgent, referrer, isBot }: FoundVisit): string {
  const text = JSON.stringify([at, userAgent, referrer, isBot ?? false]);
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}
