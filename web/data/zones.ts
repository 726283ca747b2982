const refused = new Set<string>();

/** The browser's time zone; UTC if the browser cannot use it. */
export const browserZone = known(zoneName(Intl.DateTimeFormat().resolvedOptions().timeZone));

/** Default time zone for days. */
export const ownZone = (): string => usableZone(browserZone);

/** Returns a zone's IANA name. Some systems report an offset (`+05:30`), which the API rejects. */
export function zoneName(zone = ''): string {
  const [, sign, hours = '', minutes = ''] = /^([+-])(\d\d):(\d\d)$/.exec(zone) ?? [];
  if (sign === undefined) return zone;
  if (Number(hours + minutes) === 0) return 'UTC';
  // Etc/GMT names have the opposite sign.
  if (minutes === '00') return `Etc/GMT${sign === '+' ? '-' : '+'}${Number(hours)}`;
  const now = new Date();
  const year = now.getFullYear();
  const here = Intl.supportedValuesOf('timeZone').filter((name) => offsetAt(now, name) === zone);
  const isFixed = (name: string): boolean =>
    [0, 6].every((month) => offsetAt(new Date(year, month), name) === zone);
  return here.find(isFixed) ?? here[0] ?? 'UTC';
}

function offsetAt(at: Date, timeZone: string): string | undefined {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  const parts = format.formatToParts(at);
  return parts.find(({ type }) => type === 'timeZoneName')?.value.replace('GMT', '');
}

export function usableZone(zone: string): string {
  return refused.has(zone) ? 'UTC' : known(zone);
}

export function refuseZone(zone: string): void {
  // UTC is the fallback and is never marked as refused.
  if (zone !== 'UTC') refused.add(zone);
}

/** Current names of zones that browsers list under an earlier name. */
const RENAMED: Readonly<Record<string, string>> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Catamarca': 'America/Argentina/Catamarca',
  'America/Coral_Harbour': 'America/Atikokan',
  'America/Cordoba': 'America/Argentina/Cordoba',
  'America/Godthab': 'America/Nuuk',
  'America/Indianapolis': 'America/Indiana/Indianapolis',
  'America/Jujuy': 'America/Argentina/Jujuy',
  'America/Louisville': 'America/Kentucky/Louisville',
  'America/Mendoza': 'America/Argentina/Mendoza',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
};

export const currentName = (zone: string): string => RENAMED[zone] ?? zone;

/** Returns each zone once, under the newest name that the browser knows, beginning with `first`. */
export function zoneNames(...first: readonly string[]): readonly string[] {
  const newest = (zone: string): string => {
    const name = RENAMED[zone];
    return name !== undefined && known(name) === name ? name : zone;
  };
  return [
    ...new Set([...first.map(newest), ...Intl.supportedValuesOf('timeZone').map(newest).sort()]),
  ];
}

function known(zone = ''): string {
  try {
    // Throws for unknown and empty zones.
    Intl.DateTimeFormat('en', { timeZone: zone });
    return zone;
  } catch {
    return 'UTC';
  }
}
