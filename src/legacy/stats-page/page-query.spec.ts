import { bucketsFor, readPageQuery, typedQuery } from './page-query';
import { PageQueryError } from '../request/legacy.errors';

const NOW = Date.parse('2026-11-21T12:30:00Z');

const read = (typed: Record<string, string> = {}) =>
  readPageQuery(
    typedQuery((name) => typed[name] ?? null),
    NOW,
  );

function problem(typed: Record<string, string>) {
  try {
    read(typed);
  } catch (error) {
    if (error instanceof PageQueryError) return [error.status, error.field];
    throw error;
  }
  return null;
}

const iso = (at: number | null) => at && new Date(at).toISOString();

describe('the parameters of the statistics page', () => {
  it('default to all time and all visitors', () => {
    expect(read()).toMatchObject({ range: 'all', audience: 'human', timezone: 'UTC', start: null });
    expect(read()).toMatchObject({ end: NOW, isOpen: true });
  });

  it.each([
    ['today', 'UTC', '2026-11-21T00:00:00.000Z'],
    ['7d', 'UTC', '2026-11-15T00:00:00.000Z'],
    ['30d', 'UTC', '2026-10-23T00:00:00.000Z'],
    ['90d', 'UTC', '2026-08-24T00:00:00.000Z'],
    ['7d', 'Europe/Berlin', '2026-11-14T23:00:00.000Z'],
    ['90d', 'Europe/Berlin', '2026-08-23T22:00:00.000Z'],
    ['today', 'Pacific/Kiritimati', '2026-11-21T10:00:00.000Z'],
  ])('range=%s in %s begins at %s', (range, timezone, start) => {
    expect(iso(read({ range, timezone }).start)).toBe(start);
  });

  it('with two dates select whole days in the time zone, both included', () => {
    const query = read({ from: '2026-03-28', to: '2026-03-29', timezone: 'Europe/Berlin' });
    expect(iso(query.start)).toBe('2026-03-27T23:00:00.000Z');
    expect(iso(query.end)).toBe('2026-03-29T21:59:59.999Z');
    expect(query).toMatchObject({ range: null, isOpen: false, from: '2026-03-28' });
  });

  it('with a single date are valid, and a last day of today or later ends now', () => {
    expect(read({ from: '2026-11-01' })).toMatchObject({ end: NOW, isOpen: true });
    expect(read({ to: '2026-11-21' })).toMatchObject({ start: null, end: NOW, isOpen: true });
    expect(read({ to: '2030-01-01' })).toMatchObject({ start: null, end: NOW });
    expect(read({ from: '0001-01-01' }).start).toBe(0);
  });

  it('with a retired time zone have its current name', () => {
    expect(read({ timezone: 'Asia/Calcutta' }).timezone).toBe('Asia/Kolkata');
  });

  it.each([
    [{ range: 'year' }, 422, 'range'],
    [{ range: 'toString' }, 422, 'range'],
    [{ audience: 'robots' }, 422, 'audience'],
    [{ from: 'x'.repeat(51) }, 422, 'from'],
    [{ from: '2026-11-31' }, 400, 'from'],
    [{ from: '21.11.2026' }, 400, 'from'],
    [{ to: '2026-13-01' }, 400, 'to'],
    [{ from: '2026-11-20', to: '2026-11-19' }, 400, 'from'],
    [{ from: '2026-11-22' }, 400, 'from'],
    [{ timezone: 'Middle/Earth' }, 400, 'timezone'],
  ])('%j are rejected with %d at %s', (typed, status, field) => {
    expect(problem(typed)).toEqual([status, field]);
  });
});

describe('the time steps of a range', () => {
  const DAY = 86_400_000;
  it.each([
    [0, 'hourly'],
    [25 / 24, 'hourly'],
    [2, 'daily'],
    [92, 'daily'],
    [93, 'weekly'],
    [644, 'weekly'],
    [645, 'monthly'],
  ])('of %d days are %s', (days, buckets) => expect(bucketsFor(0, days * DAY)).toBe(buckets));
});
