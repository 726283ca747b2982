import type { PageStatistics } from '../../analytics/link-statistics.service';
import { hasCampaigns, pageLists } from './page-lists';

type Lists = PageStatistics['lists'];

const list = (...labels: string[]) => ({
  rows: labels.map((label, i) => ({ label, clicks: 10 - i, visitors: 1 })),
  cut: { values: 0, clicks: 0, visitors: 0 },
});

const lists = (changes: Partial<Lists> = {}): Lists => ({
  time: list(),
  browser: list('Chrome'),
  os: list('Windows'),
  device: list('mobile', 'unknown'),
  country: list('Germany'),
  city: list('Berlin'),
  referrer: list('Direct'),
  utm_source: list('(none)'),
  utm_medium: list('(none)'),
  utm_campaign: list('(none)'),
  variant: list('(default)'),
  trigger: list('link'),
  audience: list('human'),
  bot: list(),
  ...changes,
});

const labelsOf = (given: Lists, title: string) =>
  pageLists(given)
    .find((each) => each.title === title)
    ?.rows.map(({ label }) => label);

describe('the lists of the statistics page', () => {
  it('show referrers without scheme and www., and apps by name', () => {
    const referrer = list(
      'Direct',
      'https://www.google.com',
      'android-app://com.google.android.gm',
    );
    expect(labelsOf(lists({ referrer }), 'Referrers')).toEqual([
      'Direct',
      'google.com',
      'Gmail (Android)',
    ]);
  });

  it('never show two referrers under the same name', () => {
    const referrer = list('https://www.x.test', 'http://x.test', 'https://x.test');
    expect(labelsOf(lists({ referrer }), 'Referrers')).toEqual([
      'x.test',
      'http://x.test',
      'https://x.test',
    ]);
  });

  it('show campaigns if at least one click has one', () => {
    expect(hasCampaigns(lists())).toBe(false);
    expect(labelsOf(lists(), 'Sources')).toBeUndefined();
    const some = lists({ utm_source: list('(none)', 'newsletter') });
    expect(hasCampaigns(some)).toBe(true);
    expect(labelsOf(some, 'Sources')).toEqual(['(none)', 'newsletter']);
    expect(labelsOf(some, 'Mediums')).toBeUndefined();
  });

  it('show devices with a capital letter', () => {
    expect(labelsOf(lists(), 'Devices')).toEqual(['Mobile', 'Unknown']);
  });
});
