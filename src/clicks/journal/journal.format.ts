import { crc32 } from 'node:zlib';
import type { ClickEvent } from '../click-event';

/** The version of the record format, as a file's first line names it. */
export const JOURNAL_VERSION = 1;

/** First line of every journal file. */
export const JOURNAL_HEADER = `curtail-journal ${JOURNAL_VERSION}\n`;

/** Bytes of a line at most, as the redirect cuts what a visitor sends. */
export const LONGEST_LINE = 4096;

/**
 * One visit as one line: the CRC-32 of the JSON text in 8 hex digits, a space, the visit as a JSON
 * array, a newline. JSON escapes newlines and lone surrogates, so whatever a visitor sends stays
 * within its line and survives UTF-8.
 */
export function encodeClickEvent(visit: ClickEvent): string {
  const json = JSON.stringify([
    visit.at,
    visit.linkId,
    visit.ip,
    visit.userAgent,
    visit.referer,
    visit.query,
    visit.redirectMs,
    visit.slot ? 1 : 0,
  ]);
  return `${hex8(crc32(json))} ${json}\n`;
}

/** The visit in a line without its newline; undefined unless the line is exactly what we wrote. */
export function decodeClickEvent(line: Buffer): ClickEvent | undefined {
  if (line.length < 10 || line[8] !== 0x20) return undefined;
  const json = line.subarray(9);
  if (line.toString('latin1', 0, 8) !== hex8(crc32(json))) return undefined;
  try {
    return toVisit(JSON.parse(json.toString()));
  } catch {
    return undefined;
  }
}

/** The version named by a file's first line; undefined when that line is not a header. */
export function headerVersion(firstLine: string): number | undefined {
  const match = /^curtail-journal (\d{1,9})$/.exec(firstLine);
  return match ? Number(match[1]) : undefined;
}

function hex8(value: number): string {
  return value.toString(16).padStart(8, '0');
}

function toVisit(fields: unknown): ClickEvent | undefined {
  if (!Array.isArray(fields) || fields.length !== 8) return undefined;
  const [at, linkId, ip, userAgent, referer, query, redirectMs, slot] = fields as unknown[];
  if (typeof linkId !== 'string' || !/^[0-9a-f]{24}$/.test(linkId)) return undefined;
  if (typeof ip !== 'string' || typeof userAgent !== 'string') return undefined;
  if (typeof referer !== 'string' || typeof query !== 'string') return undefined;
  if (!isWhole(at) || !isWhole(redirectMs) || (slot !== 0 && slot !== 1)) return undefined;
  return { at, linkId, ip, userAgent, referer, query, redirectMs, slot: slot === 1 };
}

/** Whole and not negative; dates beyond the year 275,760 do not exist. */
function isWhole(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 8.64e15;
}
