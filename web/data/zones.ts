/** Zones that the API does not know, as its answers have said. */
const refused = new Set<string>();

/** The zone of the browser; UTC where the system gives it none that it knows itself. */
export const browserZone = known(zoneName(Intl.DateTimeFormat().resolvedOptions().timeZone));

/** The zone in which days are counted unless another is asked for. */
export const ownZone = (): string => usableZone(browserZone);

/** The IANA name of a zone that some systems give as an offset (`+05:30`), which the API does not take. */
export function zoneName(zone = ''): string {
  const [, sign, hours = '', minutes = ''] = /^([+-])(\d\d):(\d\d)$/.exec(zone) ?? [];
  if (sign === undefined) return zone;
  if (Number(hours + minutes) === 0) return 'UTC';
  // The names have the opposite sign.
  if (minutes === '00') return `Etc/GMT${sign === '+' ? '-' : '+'}${Number(hours)}`;
  const now = new Date();
  const year = now.getFullYear();
  const here = Intl.supportedValuesOf('timeZone').filter((name) => offsetAt(now, name) === zone);
  const isFixed = (name: string): boolean =>
    [0, 6].every((month) => offsetAt(new Date(year, month), name) === zone);
  return here.find(isFixed) ?? here[0] ?? 'UTC';
}

/** `+05:30` */
function offsetAt(at: Date, timeZone: string): string | undefined {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  const parts = format.formatToParts(at);
  return parts.find(({ type }) => type === 'timeZoneName')?.value.replace('GMT', '');
}

/** The zone as it is where browser and API know it, else UTC. */
export function usableZone(zone: string): string {
  return refused.has(zone) ? 'UTC' : known(zone);
}

/** Notes that the API does not know a zone. */
export function refuseZone(zone: string): void {
  // Without UTC, nothing would be left.
  if (zone !== 'UTC') refused.add(zone);
}

function known(zone = ''): string {
  try {
    // Throws for a zone that there is not, and for none.
    Intl.DateTimeFormat('en', { timeZone: zone });
    return zone;
  } catch {
    return 'UTC';
  }
}
