import { constants } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import type { Logger } from '../../common/log';
import { IrregularFileError, openRegular, quarantine } from '../../common/regular-file';
import { syncFolder } from '../journal/journal.files';
import { NEWLINE } from '../journal/journal.format';

/** Which journal files are recorded under which number. */
export interface PendingBatch {
  number: number;
  files: string[];
  /** The node that records it. */
  node: string;
}

/** Bytes of one of the two slots for a pending batch; enough for some 4000 file names. */
export const SLOT_BYTES = 256 * 1024;
const SLOTS = 2;
/** Numbers are ahead of the clock by some milliseconds where batches follow each other closely. */
const MAX_NUMBER_LEAD_MS = 5000;

/**
 * The batch that the recorder is about to record, in DATA_DIR/recorder-intents: noted before it is
 * begun, so that after a crash the same files are recorded under the same number. Numbers are
 * times in milliseconds and only rise: none is used twice, even when the file is lost or an old
 * one restored.
 *
 * The file has its full size from the start and is written in place, so that recording goes on,
 * and frees the journal's space, while the disk is full. Two slots take turns, each with its
 * checksum: a write that a crash tore leaves the note before it, whose batch was done.
 */
export class PendingBatches {
  private readonly file: string;
  private last = 0;
  private slot = 0;
  private made = false;
  private toldOfClock = false;

  constructor(
    dataDir: string,
    private readonly log: Logger,
  ) {
    this.file = path.join(dataDir, 'recorder-intents');
  }

  /** The batch that was under way when the last recorder ended, done or not. */
  async resume(): Promise<PendingBatch | undefined> {
    const pending = await this.readSlots();
    this.last = pending?.number ?? 0;
    if (!this.made) await this.make(pending);
    return pending;
  }

  /** Notes that these files, or the first of them, are recorded as the next batch. */
  async begin(files: string[], node: string): Promise<PendingBatch> {
    if (!this.made) await this.make(undefined);
    const now = Date.now();
    this.compareClock(now);
    const number = Math.max(this.last + 1, now);
    let pending: PendingBatch = { number, files, node };
    let bytes = encodePending(pending);
    while (bytes.length > SLOT_BYTES) {
      pending = { ...pending, files: pending.files.slice(0, pending.files.length >> 1) };
      bytes = encodePending(pending);
    }
    const slot = (this.slot + 1) % SLOTS;
    try {
      await writeAt(this.file, bytes, slot * SLOT_BYTES);
    } catch (error) {
      // Somebody removed or replaced it: the next try makes it anew.
      if (isFileNotFound(error)) this.made = false;
      else if (error instanceof IrregularFileError) {
        this.made = false;
        await setAside(this.file, this.log);
      }
      throw error;
    }
    this.slot = slot;
    this.last = number;
    return pending;
  }

  /** Also notices what happened while nothing ran: the last number outlives the recorder. */
  private compareClock(now: number): void {
    const aheadMs = this.last - now;
    if (aheadMs <= MAX_NUMBER_LEAD_MS) {
      this.toldOfClock = false;
    } else if (!this.toldOfClock) {
      this.toldOfClock = true;
      this.log.warn(
        'Clicks were recorded that lie in the future of this clock: statistics show them once it ' +
          'gets there',
        { aheadSeconds: Math.round(aheadMs / 1000) },
      );
    }
  }

  private async make(pending: PendingBatch | undefined): Promise<void> {
    // Written whole, not as a hole: later writes must not need room.
    const whole = Buffer.alloc(SLOTS * SLOT_BYTES, ' ');
    if (pending !== undefined) encodePending(pending).copy(whole);
    await replaceFile(this.file, whole);
    this.slot = 0;
    this.made = true;
  }

  private async readSlots(): Promise<PendingBatch | undefined> {
    const whole = await orSetAside(this.log, readAt(this.file, SLOTS * SLOT_BYTES));
    if (whole === undefined) return undefined;
    // One that is short was copied or cut by somebody: it is made anew with what it says.
    this.made = whole.length === SLOTS * SLOT_BYTES;
    let newest: PendingBatch | undefined;
    for (let slot = 0; slot < SLOTS; slot += 1) {
      const bytes = whole.subarray(slot * SLOT_BYTES, (slot + 1) * SLOT_BYTES);
      const pending = decodePending(bytes);
      if (pending === undefined && !isBlank(bytes)) this.damaged(this.file);
      if (pending === undefined || pending.number <= (newest?.number ?? 0)) continue;
      newest = pending;
      this.slot = slot;
    }
    return newest;
  }

  private damaged(file: string): void {
    this.log.error(`A pending batch in ${path.basename(file)} is damaged and passed over`);
  }
}

/** The checksum of the JSON text in 8 hex digits, a space, the text, a newline. */
function encodePending(pending: PendingBatch): Buffer {
  const json = JSON.stringify(pending);
  return Buffer.from(`${checksum(Buffer.from(json))} ${json}\n`);
}

/** The pending batch in a slot, behind which an older, longer one may go on. */
function decodePending(slot: Buffer): PendingBatch | undefined {
  const end = slot.indexOf(NEWLINE);
  if (end < 9) return undefined;
  const json = slot.subarray(9, end);
  if (slot.toString('latin1', 0, 8) !== checksum(json)) return undefined;
  return parsePending(json.toString());
}

function checksum(bytes: Buffer): string {
  return crc32(bytes).toString(16).padStart(8, '0');
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20);
}

function parsePending(text: string): PendingBatch | undefined {
  try {
    const value = JSON.parse(text) as Partial<PendingBatch> | null;
    const { number, files, node } = value ?? {};
    if (!Number.isSafeInteger(number) || !Array.isArray(files)) return undefined;
    // Names only: nothing in here may lead out of the journal's folder.
    if (!files.every((name) => typeof name === 'string' && /^[^/\\]+\.(open|sealed)$/.test(name))) {
      return undefined;
    }
    if (node === undefined || !/^[0-9a-f]{8}$/.test(node)) return undefined;
    return { number: number as number, files, node };
  } catch {
    return undefined;
  }
}

/** Writes a small file so that after any crash it is there whole, as it was or as it shall be. */
export async function replaceFile(file: string, content: string | Buffer): Promise<void> {
  const draft = `${file}.new`;
  // The rest of a crash, or whatever else stands there.
  await rm(draft, { recursive: true, force: true });
  const handle = await open(draft, 'wx', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
  await syncFolder(path.dirname(file));
}

/**
 * Overwrites a part of a file that is there, durably. On a file system that writes in place this
 * takes no room; a crash may leave the part torn.
 */
export async function writeAt(file: string, content: Buffer, position: number): Promise<void> {
  const handle = await openRegular(file, constants.O_RDWR);
  try {
    for (let done = 0; done < content.length;) {
      const { bytesWritten } = await handle.write(content, done, null, position + done);
      done += bytesWritten;
    }
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

/** The first bytes of a file, at most so many. */
async function readAt(file: string, length: number): Promise<Buffer> {
  const handle = await openRegular(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/**
 * Returns what was read of a file of DATA_DIR, or undefined when there is none, or when something else stands
 * in its place, which is then kept in quarantine.
 */
export async function orSetAside<T>(log: Logger, reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof IrregularFileError) await setAside(error.path, log);
    else if (!isFileNotFound(error)) throw error;
    return undefined;
  }
}

async function setAside(file: string, log: Logger): Promise<void> {
  await quarantine(file);
  log.error(`${path.basename(file)} is no regular file: it is kept in quarantine and made anew`);
}

function isFileNotFound(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
}
