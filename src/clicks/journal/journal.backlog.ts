const NEWLINE = 0x0a;

/** Lines of one turn, written up to `offset`. */
export interface BacklogEntry {
  bytes: Buffer;
  offset: number;
}

/**
 * Lines that are not yet in a file, oldest first: for a moment during each flush, and for as long
 * as the disk refuses them.
 */
export class JournalBacklog {
  bytes = 0;
  private entries: BacklogEntry[] = [];

  get first(): BacklogEntry | undefined {
    return this.entries[0];
  }

  push(bytes: Buffer): BacklogEntry {
    const entry = { bytes, offset: 0 };
    this.entries.push(entry);
    this.bytes += bytes.length;
    return entry;
  }

  /** Notes that `count` more bytes of the first entry are written; drops it when it is done. */
  advance(entry: BacklogEntry, count: number): void {
    entry.offset += count;
    this.bytes -= count;
    if (entry.offset === entry.bytes.length) this.entries.shift();
  }

  /**
   * Goes back to the start of the line that is half written, so that a new file gets it whole.
   * Returns the length of the half that lies in the old file.
   */
  rewind(): number {
    const entry = this.first;
    if (entry === undefined || entry.offset === 0) return 0;
    const start = entry.bytes.lastIndexOf(NEWLINE, entry.offset - 1) + 1;
    const torn = entry.offset - start;
    entry.offset = start;
    this.bytes += torn;
    return torn;
  }

  /** Drops the oldest entries until `limit` bytes are left; returns how many records that cost. */
  shrinkTo(limit: number): number {
    let dropped = 0;
    while (this.bytes > limit) {
      const entry = this.entries.shift();
      if (entry === undefined) break;
      this.bytes -= entry.bytes.length - entry.offset;
      dropped += countLines(entry);
    }
    return dropped;
  }

  countRecords(): number {
    return this.entries.reduce((sum, entry) => sum + countLines(entry), 0);
  }
}

function countLines({ bytes, offset }: BacklogEntry): number {
  let lines = 0;
  for (let at = bytes.indexOf(NEWLINE, offset); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) {
    lines++;
  }
  return lines;
}
