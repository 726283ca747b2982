import type { ClickEvent } from '../../core/link-visited';
import { decodeClickEvent, headerVersion } from './journal.format';

const NEWLINE = 0x0a;

export interface DecodedJournal {
  visits: ClickEvent[];
  /** Lines in the middle that are no records: damage, or records we refuse. */
  garbage: number;
  /** Bytes behind the last newline: what a writer was killed over. */
  tornBytes: number;
}

/**
 * All sound records of a journal file. Damage costs the lines that it touches and no others: each
 * line carries its own checksum, so reading goes on behind the next newline.
 */
export function decodeJournal(bytes: Buffer): DecodedJournal {
  const visits: ClickEvent[] = [];
  let garbage = 0;
  let start = 0;
  for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
    const line = bytes.subarray(start, end);
    const visit = decodeClickEvent(line);
    if (visit !== undefined) visits.push(visit);
    else if (start > 0 || headerVersion(line.toString('latin1', 0, 40)) === undefined) garbage++;
    start = end + 1;
  }
  return { visits, garbage, tornBytes: bytes.length - start };
}
