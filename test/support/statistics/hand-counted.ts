import type { Click } from '../../../src/engines/click-engine/chunk/click';
import { aClick, NOTHING_KNOWN } from '../shared/click.factory';

export const DAY = 86_400_000;
export const NOON = Date.UTC(2026, 9, 20, 12);
export const RANGE = { start_date: '2026-10-01', end_date: '2026-10-31' };
export const [ann, bob, eve] = ['a', 'b', 'e'].map((letter) => letter.repeat(24)) as [
  string,
  string,
  string,
];

export interface Answer {
  filters: object;
  summary: { total_clicks: number; unique_clicks: number };
  metrics: Record<string, Record<string, string | number>[]>;
  time_bucket_info?: { strategy: string };
  time_range: { start_date: string; end_date: string };
}

export const clicks: Click[] = [
  aClick({ at: NOON, visitor: ann, referrer: 'https://a.example', utmSource: 'mail' }),
  aClick({ at: NOON + 1, visitor: bob, os: 'Linux', device: 'mobile', city: 'Bonn' }),
  aClick({ at: NOON + DAY, visitor: ann, country: 'France', countryCode: 'FR', city: 'Paris' }),
  aClick({ at: NOON + 2 * DAY, visitor: eve, ...NOTHING_KNOWN }),
];
