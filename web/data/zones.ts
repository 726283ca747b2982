/** Zones that the API does not know, as its answers have said. */
const refused = new Set<string>();

/** The zone of the browser; UTC where the system gives it none that it knows itself. */
export const browserZone = known(Intl.DateTimeFormat().resolvedOptions().timeZone);

/** The zone in which days are counted unless another is asked for. */
export const ownZone = (): string => usableZone(browserZone);

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
