import { Injectable } from '@nestjs/common';
import {
  localDay,
  type LocalDay,
  rolled,
  startOfDay,
} from '../engines/click-engine/calendar/time-buckets';
import { type StatisticsClient, StatisticsEngine } from './engine/statistics-engine';
import type { Audience } from '../engines/click-engine/query/statistics-query';
import { readZone } from './query/period';

/** Clicks from the last calendar days, including the current day. */
export interface RecentClicks {
  readonly today: number;
  readonly yesterday: number;
  readonly last7Days: number;
  readonly previous7Days: number;
  /** Clicks in the last 14 days by alias, for the most clicked links, most clicks first. */
  readonly mostClicked: ReadonlyMap<string, number>;
}

export interface RecentClicksQuery {
  readonly ownerId: string;
  /** IANA name; default UTC. */
  readonly timezone: string | undefined;
  readonly audience: Audience | undefined;
  readonly links: number;
  readonly client: StatisticsClient;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly now: number;
}

@Injectable()
export class RecentClicksService {
  constructor(private readonly engine: StatisticsEngine) {}

  /** Throws 400 for an unknown time zone. */
  async findRecentClicks(wanted: RecentClicksQuery): Promise<RecentClicks> {
    const { ownerId, timezone, audience, links, client, now } = wanted;
    const zone = readZone(timezone);
    const query = {
      start: startOfDay(daysBefore(localDay(now, zone), 13), zone),
      end: now,
      dimensions: ['time', 'short_code'],
      filters: {},
      audience,
      buckets: { strategy: 'daily', timezone: zone },
    } as const;
    const question = {
      source: { ownerId },
      query,
      client,
      requestKey: JSON.stringify(['recent', zone, audience]),
      clicks: null,
      isPublic: false,
    };
    const result = await this.engine.count(question, links);
    const { time, short_code: byLink } = result.breakdowns;
    if (time === undefined || byLink === undefined) throw new RangeError('A breakdown is missing');
    const clicks = new Map(time.labels.map((label, at) => [label, time.clicks[at] ?? 0]));
    // Concurrent equal queries share a result, whose range ends at the time of the first query.
    const today = localDay(result.range.end, zone);
    const days = Array.from({ length: 14 }, (_, n) => clicks.get(dayLabel(daysBefore(today, n))));
    const sum = (from: number, to: number): number =>
      days.slice(from, to).reduce<number>((total, some = 0) => total + some, 0);
    return {
      today: sum(0, 1),
      yesterday: sum(1, 2),
      last7Days: sum(0, 7),
      previous7Days: sum(7, 14),
      mostClicked: new Map(byLink.labels.map((label, at) => [label, byLink.clicks[at] ?? 0])),
    };
  }
}

function daysBefore(day: LocalDay, days: number): LocalDay {
  return rolled({ ...day, day: day.day - days });
}

function dayLabel({ year, month, day }: LocalDay): string {
  return new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10);
}
