import { isUsedUp, type LinkStatus, reportedStatus } from './link';

const NOW = 1_000_000;

describe('reportedStatus', () => {
  it.each<[LinkStatus, number | null, LinkStatus]>([
    ['ACTIVE', null, 'ACTIVE'],
    ['ACTIVE', NOW + 1, 'ACTIVE'],
    ['ACTIVE', NOW, 'INACTIVE'],
    ['ACTIVE', NOW - 1, 'INACTIVE'],
    ['INACTIVE', null, 'INACTIVE'],
    ['INACTIVE', NOW + 1, 'INACTIVE'],
  ])('of %s with an expiry of %s is %s', (status, expiry, reported) => {
    const expireAfter = expiry === null ? null : new Date(expiry);
    expect(reportedStatus({ status, expireAfter }, NOW)).toBe(reported);
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
