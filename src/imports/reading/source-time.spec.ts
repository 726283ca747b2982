import { sourceTime } from './source-time';

describe('a time in a file from another service', () => {
  const at = (text: string, zone = 'UTC'): string | null => {
    const ms = sourceTime(text, zone);
    return ms === null ? null : new Date(ms).toISOString().replace('.000Z', 'Z');
  };

  it.each([
    '2024-02-03 04:05:06 UTC',
    '2024-02-03T04:05:06UTC',
    '2024-02-03 04:05:06 GMT',
    '2024-02-03 04:05:06.789 UTC',
    '2024-02-03 04:05:06 +0000 UTC',
    '2024-02-03 05:05:06.123456 +0100 CET',
    '2024/02/03 04:05:06 UTC',
    'Sat, 03 Feb 2024 04:05:06 +0000',
    'Sat, 3 Feb 2024 04:05:06 GMT',
    '03 Feb 2024 05:05:06 +0100',
    'Fri, 02 Feb 2024 23:05:06 EST',
    'Saturday, 03-Feb-2024 04:05:06 GMT',
    'Sat Feb 03 2024 05:05:06 GMT+0100 (Central European Standard Time)',
    'Sat Feb  3 04:05:06 UTC 2024',
    'February 3, 2024 4:05:06 UTC',
    '1706933106',
    '1706933106.789',
    '1706933106789',
    '1706933106789012',
    '1706933106789012345',
    'Feb 3, 2024, 4:05:06 AM UTC',
    '2024-02-03 05:05:06 UTC+01:00',
    '2024-02-03 05:05:06 GMT+1',
    '20240203T040506Z',
  ])('is read from %j, regardless of the default zone', (text) => {
    expect(at(text, 'Asia/Tokyo')).toBe('2024-02-03T04:05:06Z');
  });

  it.each([
    ['Sat, 03 Feb 2024 04:05:06', '2024-02-02T19:05:06Z'],
    ['3 February 2024', '2024-02-02T15:00:00Z'],
    ['2024/02/03 04:05', '2024-02-02T19:05:00Z'],
    ['Sat Feb  3 04:05:06 2024', '2024-02-02T19:05:06Z'],
    ['2024-02-03 4:05 PM', '2024-02-03T07:05:00Z'],
    ['February 3, 2024 12:05 a.m.', '2024-02-02T15:05:00Z'],
    ['20240203', '2024-02-02T15:00:00Z'],
    ['20240203040506', '2024-02-02T19:05:06Z'],
  ])('without a zone, %j, is in the given zone', (text, expected) => {
    expect(at(text, 'Asia/Tokyo')).toBe(expected);
  });

  it.each([
    '02/03/2024',
    '30 Feb 2024 04:05:06 GMT',
    '3 Feb 2024 25:00:00 GMT',
    'Feb 2024',
    '3 Feb 2024 14:05 PM',
    '3 Feb 2024 0:05 PM',
    '20241303',
    '45325.17',
    '2024',
    '3 4 Feb 2024',
    'Marvellous',
    'soon UTC',
    '',
  ])('is not read from %j', (text) => {
    expect(at(text)).toBeNull();
  });
});
