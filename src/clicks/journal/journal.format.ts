import { crc32 } from 'node:zlib';
import type { ClickEvent } from '../click-event';
import { JournalVersionError } from '../clicks.errors';

export const JOURNAL_VERSION = 2;

export const JOURNAL_HEADER = `curtail-journal ${JOURNAL_VERSION}\n`;

export const NEWLINE = 0x0a;

/** Maximum bytes per line; the limits on requests ensure that no line is longer. */
export const MAX_LINE_BYTES = 4096;

/** Format: CRC-32 as 8 hex digits, a space, a JSON array (which escapes newlines), a newline. */
export function encodeClickEvent(event: ClickEvent): string {
  // Concatenation is twice as fast as `JSON.stringify` on an array.
  const json =
    `[${event.at},"${event.linkId}",${quoted(event.ip)},${quoted(event.userAgent)},` +
    `${quoted(event.referer)},${quoted(event.query)},${event.redirectMs},${event.slot ? 1 : 0},` +
    `${event.flags},${quoted(event.variant)}]`;
  return `${hex8(crc32(json))} ${json}\n`;
}

/** Printable ASCII without quotation marks and backslashes, which JSON does not escape. */
const UNESCAPED = /^[ !#-[\]-~]*$/;

/** Most strings do not need escaping, and this check is faster than `JSON.stringify`. */
function quoted(text: string): string {
  return UNESCAPED.test(text) ? `"${text}"` : JSON.stringify(text);
}

export interface DecodedJournal {
  events: ClickEvent[];
  /** Number of complete but damaged or invalid lines. */
  garbage: number;
  /** Bytes after the last newline. They remain if the process is killed during a write. */
  tornBytes: number;
}

type FieldsDecoder = (fields: readonly unknown[]) => ClickEvent | undefined;

const DECODERS: ReadonlyMap<number, FieldsDecoder> = new Map([
  [1, eventOfVersion1],
  [2, eventOfVersion2],
]);

export function isReadableVersion(version: number): boolean {
  return DECODERS.has(version);
}

/**
 * Each line has a checksum, so that a damaged line does not affect other lines.
 * @throws JournalVersionError if a later release wrote the file
 */
export function decodeJournal(bytes: Buffer, name = ''): DecodedJournal {
  const version = journalVersion(bytes);
  if (version !== undefined && !isReadableVersion(version))
    throw new JournalVersionError(version, JOURNAL_VERSION, name);
  const events: ClickEvent[] = [];
  let garbage = 0;
  let start = 0;
  for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
    const line = bytes.subarray(start, end);
    const event = decodeClickEvent(line, version);
    if (event !== undefined) events.push(event);
    else if (start > 0 || version === undefined) garbage++;
    start = end + 1;
  }
  return { events, garbage, tornBytes: bytes.length - start };
}

/** Undefined if the line is invalid. Infers a missing version from the number of fields. */
export function decodeClickEvent(line: Buffer, version?: number): ClickEvent | undefined {
  if (line.length < 10 || line[8] !== 0x20) return undefined;
  const json = line.subarray(9);
  if (checksumIn(line) !== crc32(json)) return undefined;
  try {
    const fields: unknown = JSON.parse(json.toString());
    if (!Array.isArray(fields)) return undefined;
    if (version !== undefined) return DECODERS.get(version)?.(fields);
    for (const decode of DECODERS.values()) {
      const event = decode(fields);
      if (event !== undefined) return event;
    }
    return undefined;
  } catch {
    return undefined;
  }
}

/** Number of bytes that contain the version. */
export const JOURNAL_HEADER_BYTES = 40;

/** Undefined if there is no valid header. */
export function journalVersion(start: Buffer): number | undefined {
  const [firstLine = ''] = start.toString('latin1', 0, JOURNAL_HEADER_BYTES).split('\n', 1);
  const match = /^curtail-journal (\d{1,9})$/.exec(firstLine);
  return match ? Number(match[1]) : undefined;
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

function hex8(value: number): string {
  const byte = (shift: number): string => HEX[(value >>> shift) & 255] ?? '';
  return byte(24) + byte(16) + byte(8) + byte(0);
}

/** Reads the 8 lower-case hex digits at the start; NaN if they are invalid. */
function checksumIn(line: Buffer): number {
  let value = 0;
  for (let i = 0; i < 8; i++) {
    const code = line[i] ?? 0;
    const digit = code >= 97 ? code - 87 : code - 48;
    const isDigit = code >= 97 ? digit < 16 : digit >= 0 && digit < 10;
    if (!isDigit) return NaN;
    value = value * 16 + digit;
  }
  return value;
}

function eventOfVersion1(fields: readonly unknown[]): ClickEvent | undefined {
  return fields.length === 8 ? toEvent(fields, 0, '') : undefined;
}

function eventOfVersion2(fields: readonly unknown[]): ClickEvent | undefined {
  return fields.length === 10 ? toEvent(fields, fields[8], fields[9]) : undefined;
}

/** Reads fields by index, because destructuring unknown values takes twice as long. */
function toEvent(
  fields: readonly unknown[],
  flags: unknown,
  variant: unknown,
): ClickEvent | undefined {
  const at = fields[0];
  const linkId = fields[1];
  const ip = fields[2];
  const userAgent = fields[3];
  const referer = fields[4];
  const query = fields[5];
  const redirectMs = fields[6];
  const slot = fields[7];
  if (typeof linkId !== 'string' || !/^[0-9a-f]{24}$/.test(linkId)) return undefined;
  if (typeof ip !== 'string' || typeof userAgent !== 'string') return undefined;
  if (typeof referer !== 'string' || typeof query !== 'string') return undefined;
  if (!isMilliseconds(at) || !isMilliseconds(redirectMs) || (slot !== 0 && slot !== 1))
    return undefined;
  if (!isFlags(flags) || typeof variant !== 'string') return undefined;
  return {
    at,
    linkId,
    ip,
    userAgent,
    referer,
    query,
    redirectMs,
    slot: slot === 1,
    flags,
    variant,
  };
}

function isFlags(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 32;
}

/** Whether the value is a non-negative integer within the range of Date (up to year 275,760). */
function isMilliseconds(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 8.64e15;
}
