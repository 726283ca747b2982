import { RETIRED_ZONES, timeZoneName } from './time-zone';
import { zonedIso } from './time-buckets';

describe('timeZoneName', () => {
  it('returns a current name unchanged', () => {
    for (const name of [
      'UTC',
      'GMT',
      'Europe/Berlin',
      'Asia/Kolkata',
      'Europe/Amsterdam',
      'Etc/GMT+5',
    ]) {
      expect(timeZoneName(name)).toBe(name);
    }
  });

  it('returns the current name for a retired one', () => {
    expect(timeZoneName('Asia/Calcutta')).toBe('Asia/Kolkata');
    expect(timeZoneName('US/Eastern')).toBe('America/New_York');
    expect(timeZoneName('Europe/Kiev')).toBe('Europe/Kyiv');
    expect(timeZoneName('America/Buenos_Aires')).toBe('America/Argentina/Buenos_Aires');
    expect(timeZoneName('Zulu')).toBe('Etc/UTC');
    expect(timeZoneName('Iceland')).toBe('Atlantic/Reykjavik');
  });

  it('accepts every zone that Node.js supports, and no name is both current and retired', () => {
    for (const name of Intl.supportedValuesOf('timeZone'))
      expect(timeZoneName(name)).not.toBeNull();
    for (const present of RETIRED_ZONES.values()) expect(timeZoneName(present)).toBe(present);
    expect(timeZoneName('Factory')).toBeNull();
  });

  it('is case-insensitive', () => {
    expect(timeZoneName('utc')).toBe('UTC');
    expect(timeZoneName('europe/berlin')).toBe('Europe/Berlin');
    expect(timeZoneName('asia/kolkata')).toBe('Asia/Kolkata');
  });

  it('rejects zones that are not in the tz database', () => {
    for (const name of ['', 'Mars/Olympus', '+01:00', 'PST', 'IST', 'SystemV/EST5', ' UTC', 'Z']) {
      expect(timeZoneName(name)).toBeNull();
    }
  });
});

describe('zonedIso', () => {
  it('writes a time with the offset of its zone, or with Z for UTC', () => {
    const at = Date.UTC(2026, 6, 1, 10, 20, 30, 45);
    expect(zonedIso(at, 'UTC')).toBe('2026-07-01T10:20:30.045Z');
    expect(zonedIso(at, 'Europe/Berlin')).toBe('2026-07-01T12:20:30.045+02:00');
    expect(zonedIso(at, 'Asia/Kolkata')).toBe('2026-07-01T15:50:30.045+05:30');
    expect(zonedIso(at, 'America/St_Johns')).toBe('2026-07-01T07:50:30.045-02:30');
    expect(zonedIso(Date.UTC(2026, 0, 1), 'Europe/London')).toBe('2026-01-01T00:00:00.000+00:00');
  });
});
