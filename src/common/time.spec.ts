import { futureTime, parseTime } from './time';

describe('parseTime', () => {
  it.each([
    [0, 0],
    [1700000000, 1700000000000],
    ['1700000000', 1700000000000],
    ['2024-02-29', Date.UTC(2024, 1, 29)],
    ['2024-02-29T12:30:15', Date.UTC(2024, 1, 29, 12, 30, 15)],
    ['2024-02-29T12:30:15Z', Date.UTC(2024, 1, 29, 12, 30, 15)],
    ['2024-02-29T12:30:15.123456+02:00', Date.UTC(2024, 1, 29, 10, 30, 15, 123)],
    ['2024-02-29 12:30-0130', Date.UTC(2024, 1, 29, 14, 0)],
    ['2099-01-01T00:00:00+02', Date.UTC(2098, 11, 31, 22)],
    ['2026-01-01 00:00:00-08', Date.UTC(2026, 0, 1, 8)],
    ['2026-01-01 00:00:00 -08', Date.UTC(2026, 0, 1, 8)],
    ['2026-01-01 00:00:00.5 +0530', Date.UTC(2025, 11, 31, 18, 30, 0, 500)],
    ['2026-01-01T00:00:00,5+00', Date.UTC(2026, 0, 1, 0, 0, 0, 500)],
    ['2026-01-01 00:00:00 Z', Date.UTC(2026, 0, 1)],
    ['2026-01-01T00:00\u221203:00', Date.UTC(2026, 0, 1, 3)],
    // A query turns an unescaped `+` into a space.
    ['2026-01-01T00:00:00 02:00', Date.UTC(2025, 11, 31, 22)],
    ['2026-01-01T00:00:00 02', Date.UTC(2025, 11, 31, 22)],
  ])('reads %p', (input, expected) => {
    expect(parseTime(input)).toBe(expected);
  });

  it.each([
    '',
    'tomorrow',
    '2023-02-29',
    '2024-13-01',
    '2024-01-01T25:00',
    '12.5',
    1.5,
    NaN,
    '9999999999999999',
    '2024-01-01T10:61',
    '2024-01-01T10:00+25:00',
    '2024-01-01T10:00+24:00',
    '2024-01-01T10:00+24',
    '2024-01-01T10:00+2',
    '2024-01-01T10:00+020',
    '2024-01-01T10:00+02:0',
    '2024-01-01T10:00+02:',
    '2024-01-01T10:00++02',
    '2024-01-01T10:00+',
    '2024-01-01T10:00Z+02',
    '2024-01-01T10:00 UTC',
    '2024-01-01+02:00',
    '2024-W05-1',
    '2024-032',
    '24-01-01',
  ])('rejects %p', (input) => {
    expect(parseTime(input)).toBeNull();
  });
});

describe('futureTime', () => {
  const NOW = Date.UTC(2026, 0, 1);
  const read = (input: number | string): Date => futureTime(input, 'expire_after', NOW);

  it('accepts the last second of the year 9999', () => {
    expect(read(253_402_300_799).toISOString()).toBe('9999-12-31T23:59:59.000Z');
    expect(read('9999-12-31T23:59:59.9Z').toISOString()).toBe('9999-12-31T23:59:59.000Z');
  });

  it.each([
    253_402_300_800,
    1_830_000_000_000,
    '1830000000000',
    1_830_000_000_000_000,
    '18300000000000000000',
    '9999-12-31T23:30:00-05:00',
  ])('rejects the later time %p, and says that the unit is seconds', (input) => {
    expect(() => read(input)).toThrow(
      expect.objectContaining({
        status: 400,
        field: 'expire_after',
        message: expect.stringMatching(/year 9999.*seconds.*not milliseconds/) as string,
      }),
    );
  });

  it.each([
    ['tomorrow', 'is not a valid time'],
    [-5, 'must be in the future'],
    ['2025-12-31', 'must be in the future'],
  ])('rejects %p: it %s', (input, problem) => {
    expect(() => read(input)).toThrow(`expire_after ${problem}`);
  });
});
