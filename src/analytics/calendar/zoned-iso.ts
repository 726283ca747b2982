import { offsetAt } from './zone-clock';

const MINUTE_MS = 60_000;

/** ISO text of an instant with the offset of a zone, `Z` for UTC (contract 1). */
export function zonedIso(at: number, zone: string): string {
  if (zone === 'UTC') return new Date(at).toISOString();
  const offset = offsetAt(at, zone);
  const local = new Date(at + offset).toISOString().slice(0, -1);
  const minutes = Math.round(Math.abs(offset) / MINUTE_MS);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${local}${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
