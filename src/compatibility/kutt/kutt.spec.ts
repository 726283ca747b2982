import { groupRows, BROWSERS, kuttPeriods, SYSTEMS } from './kutt-statistics.service';
import { parseDuration, readId, toChangedFields, toNewFields, toUuid } from './kutt-link';

const NOW = Date.UTC(2026, 0, 15, 10, 30);
const MINUTE = 60_000;

describe("A duration from Kutt's clients", () => {
  it.each([
    [60_000, MINUTE],
    ['60000', MINUTE],
    ['60000ms', MINUTE],
    ['90 seconds', 1.5 * MINUTE],
    ['2 minutes', 2 * MINUTE],
    ['1.5h', 90 * MINUTE],
    ['42 Days', 42 * 1440 * MINUTE],
    [' 1 week ', 7 * 1440 * MINUTE],
    ['1y', 365.25 * 1440 * MINUTE],
  ])('%j is %d ms', (text, ms) => expect(parseDuration(text)).toBe(ms));

  it.each(['soon', '10s', '59999', '-2 minutes', '1 fortnight', '', 'm', {}, null, NaN, ['2 h']])(
    '%j is rejected',
    (text) => expect(parseDuration(text)).toBeNull(),
  );
});

describe('The fields of a Kutt request', () => {
  it('are converted to the fields of a new link, without empty ones', () => {
    const body = {
      ...{ target: 'example.com', customurl: 'abc', password: '', description: null },
      ...{ expire_in: '2 minutes', reuse: 'true', domain: 'links.test', unknown: 1 },
    };
    expect(toNewFields(body, NOW)).toEqual({
      ...{ long_url: 'http://example.com', alias: 'abc', reuse: true, domain: 'links.test' },
      expire_after: (NOW + 2 * MINUTE) / 1000,
    });
    expect(toNewFields({ target: ['a'], reuse: 'False' }, NOW)).toEqual({ long_url: ['a'] });
  });

  it('remain text even if they contain true or false', () => {
    const texts = { customurl: 'false', description: 'true' };
    expect(toNewFields(texts, NOW)).toEqual({ alias: 'false', note: 'true' });
  });

  it('are converted to a change, and an empty password removes the password', () => {
    for (const password of [null, '']) {
      expect(toChangedFields({ address: 'new', target: '', password }, NOW)).toEqual({
        ...{ alias: 'new', password: null },
      });
    }
    expect(toChangedFields({}, NOW)).toEqual({});
  });

  it('cause an error that names the field if the duration is invalid', () => {
    const refusal = expect.objectContaining({ status: 400, field: 'expire_after' });
    expect(() => toNewFields({ expire_in: 'soon' }, NOW)).toThrow(refusal);
  });
});

describe('A link id in a Kutt request', () => {
  const id = '0123456789abcdef01234567';

  it('is a UUID or 24 digits', () => {
    expect(toUuid(id)).toBe('01234567-89ab-cdef-0123-456700000000');
    for (const text of [id, id.toUpperCase(), toUuid(id)]) expect(readId(text)).toBe(id);
  });

  it.each(['abc', '01234567-89ab-cdef-0123-456700000001', `${id}0`])('cannot be %s', (text) => {
    expect(readId(text)).toBeNull();
  });
});

describe("The statistics for Kutt's clients", () => {
  it('begin 24 hours, 7 days, 30 days and 12 months ago, by the UTC calendar', () => {
    expect(kuttPeriods(NOW).map(({ start }) => new Date(start).toISOString())).toEqual([
      '2026-01-14T11:00:00.000Z',
      '2026-01-09T00:00:00.000Z',
      '2025-12-17T00:00:00.000Z',
      '2025-02-01T00:00:00.000Z',
    ]);
  });

  const rows = (labels: string[]) => labels.map((label, at) => ({ label, clicks: 10 ** at }));

  it('add up browsers with the same name', () => {
    const labels = ['Chrome', 'Mobile Chrome', 'Edge', 'Opera Mini', 'Mobile Safari'];
    const more = ['Internet Explorer', 'Samsung Internet', 'Firefox', 'Unknown'];
    expect(groupRows(rows([...labels, ...more]), BROWSERS)).toEqual([
      { name: 'other', value: 100_000_000 + 1_000_000 },
      { name: 'firefox', value: 10_000_000 },
      { name: 'ie', value: 100_000 },
      { name: 'safari', value: 10_000 },
      { name: 'opera', value: 1000 },
      { name: 'edge', value: 100 },
      { name: 'chrome', value: 11 },
    ]);
  });

  it('add up systems with the same name', () => {
    const labels = [
      'Android',
      'iOS',
      'Ubuntu',
      'Mac OS X',
      'Windows',
      'Windows Phone',
      'Chrome OS',
    ];
    expect(groupRows(rows(labels), SYSTEMS)).toEqual([
      { name: 'other', value: 1_100_000 },
      { name: 'windows', value: 10_000 },
      { name: 'macos', value: 1000 },
      { name: 'linux', value: 100 },
      { name: 'ios', value: 10 },
      { name: 'android', value: 1 },
    ]);
  });
});
