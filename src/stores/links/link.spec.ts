import { isUsedUp, type LinkStatus, reportedStatus } from './link';

const NOW = 1_000_000;

describe('reportedStatus', () => {
  it.each<[LinkStatus, number | null, number | null, LinkStatus]>([
    ['ACTIVE', null, null, 'ACTIVE'],
    ['ACTIVE', null, NOW + 1, 'ACTIVE'],
    ['ACTIVE', null, NOW, 'INACTIVE'],
    ['ACTIVE', null, NOW - 1, 'INACTIVE'],
    ['INACTIVE', null, null, 'INACTIVE'],
    ['INACTIVE', null, NOW + 1, 'INACTIVE'],
    ['ACTIVE', NOW + 1, null, 'INACTIVE'],
    ['ACTIVE', NOW, NOW + 1, 'ACTIVE'],
    ['INACTIVE', NOW, null, 'INACTIVE'],
  ])('for %s with a start of %s and an expiry of %s is %s', (status, start, expiry, reported) => {
    const [startsAt, expireAfter] = [start, expiry].map((at) =>
      at === null ? null : new Date(at),
    );
    const times = { startsAt: startsAt ?? null, expireAfter: expireAfter ?? null };
    const blocked = { reason: 'Spam', at: new Date(NOW), by: 'admin' as const };
    expect(reportedStatus({ status, ...times, blocked: null }, NOW)).toBe(reported);
    expect(reportedStatus({ status, ...times, blocked }, NOW)).toBe('BLOCKED');
  });
});

describe('isUsedUp', () => {
  it.each([
    [null, 1_000_000, false],
    [3, 2, false],
    [3, 3, true],
    [3, 4, true],
  ])('with a limit of %s and %i used clicks is %s', (maxClicks, usedClicks, used) => {
    expect(isUsedUp({ maxClicks, usedClicks })).toBe(used);
  });
});
