import { timeZoneName } from '../../../src/engines/click-engine/calendar/time-zone';
import { currentName, zoneName, zoneNames } from '../../../web/data/zones';

describe('The time zone of a browser', () => {
  it.each([
    ['Europe/Berlin', 'Europe/Berlin'],
    ['UTC', 'UTC'],
    ['+00:00', 'UTC'],
    ['-00:00', 'UTC'],
    ['+05:00', 'Etc/GMT-5'],
    ['-03:00', 'Etc/GMT+3'],
    ['+14:00', 'Etc/GMT-14'],
    ['+07:13', 'UTC'],
  ])('%s is sent to the API as %s', (zone, name) => {
    expect(zoneName(zone)).toBe(name);
    expect(timeZoneName(name)).not.toBeNull();
  });

  it.each(['+05:30', '+05:45', '+04:30', '+06:30', '+08:45', '-09:30'])(
    '%s has the same offset all year',
    (offset) => {
      const zone = zoneName(offset);
      expect(timeZoneName(zone)).not.toBeNull();
      for (const month of [0, 6]) {
        const format = new Intl.DateTimeFormat('en', {
          timeZone: zone,
          timeZoneName: 'longOffset',
        });
        expect(format.format(new Date(Date.UTC(2026, month)))).toContain(`GMT${offset}`);
      }
    },
  );

  it('has its current name', () => {
    expect(['Asia/Calcutta', 'Europe/Kiev', 'Europe/Berlin'].map(currentName)).toEqual([
      'Asia/Kolkata',
      'Europe/Kyiv',
      'Europe/Berlin',
    ]);
    const all = zoneNames('Europe/Kiev', 'UTC');
    expect(all.slice(0, 2)).toEqual(['Europe/Kyiv', 'UTC']);
    expect(all).toContain('Asia/Kolkata');
    expect(all).not.toContain('Asia/Calcutta');
    expect(new Set(all).size).toBe(all.length);
    for (const zone of all) expect(timeZoneName(zone)).not.toBeNull();
  });
});
