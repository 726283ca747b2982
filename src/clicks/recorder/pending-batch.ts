import { constants } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import type { Logger } from '../../common/log';
import { openRegular, quarantine } from '../../common/regular-file';
import { IrregularFileError } from '../../common/errors';
import { syncFolder } from '../journal/journal.files';
import { NEWLINE } from '../journal/journal.format';

export interface PendingBatch {
  number: number;
  files: string[];
  node: string;
}

/** Bytes per slot, enough for about 4000 file names. */
export const SLOT_BYTES = 256 * 1024;
const SLOTS = 2;
/** The numbers of batches in quick succession are slightly ahead of the clock. */
const MAX_NUMBER_LEAD_MS = 5000;

/**
 * Notes each batch before it is recorded, so that a crash repeats it with the same files and
 * number. Numbers are increasing times in milliseconds and are never reused, even if this file is
 * lost or restored. The file is allocated in advance and overwritten in place, so that batches can
 * be noted even if the disk is full. It has two slots with checksums: if writing one slot is interrupted, the other is still valid.
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

  /** Returns the last noted batch, which may or may not be completely recorded. */
  async resume(): Promise<PendingBatch | undefined> {
    const pending = await this.readSlots();
    this.last = pending?.number ?? 0;
    if (!this.made) await this.make(pending);
    return pending;
  }

  /** Notes the next batch: these files, or the first files that fit. */
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
      // The file was removed or replaced, so the next attempt creates it again.
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

  /** Warns if the clock was set back, even while the recorder was stopped. */
  private compareClock(now: number): void {
    const aheadMs = this.last - now;
    if (aheadMs <= MAX_NUMBER_LEAD_MS) {
      this.toldOfClock = false;
    } else if (!this.toldOfClock) {
      this.toldOfClock = true;
      this.log.warn(
        "Some clicks have timestamps ahead of this machine's clock; statistics will include them " +
          'once the clock reaches those times',
        { aheadSeconds: Math.round(aheadMs / 1000) },
      );
    }
  }

  private async make(pending: PendingBatch | undefined): Promise<void> {
    // Writes every byte, because a sparse file would need disk space later.
    const whole = Buffer.alloc(SLOTS * SLOT_BYTES, ' ');
    if (pending !== undefined) encodePending(pending).copy(whole);
    await replaceFile(this.file, whole);
    this.slot = 0;
    this.made = true;
  }

  private async readSlots(): Promise<PendingBatch | undefined> {
    const whole = await orSetAside(this.log, readAt(this.file, SLOTS * SLOT_BYTES));
    if (whole === undefined) return undefined;
    // If the file is truncated, it is created again with the same content.
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
    this.log.error(`Skipped a damaged batch in ${path.basename(file)}`);
  }
}

/** Format: the checksum of the JSON text as 8 hex digits, a space, the text, a newline. */
function encodePending(pending: PendingBatch): Buffer {
  const json = JSON.stringify(pending);
  return Buffer.from(`${checksum(Buffer.from(json))} ${json}\n`);
}

/** Ignores text after the newline, which remains from a longer batch. */
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
    // Accepts only file names, because a path must not lead out of the journal folder.
    if (!files.every((name) => typeof name === 'string' && /^[^/\\]+\.(open|sealed)$/.test(name))) {
      return undefined;
    }
    if (node === undefined || !/^[0-9a-f]{8}$/.test(node)) return undefined;
    return { number: number as number, files, node };
  } catch {
    return undefined;
  }
}

/** Atomic and durable: after a crash, the file has either the old or the new content. */
export async function replaceFile(file: string, content: string | Buffer): Promise<void> {
  const draft = `${file}.new`;
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

/** Durable but not atomic; overwrites the file in place, so it does not need disk space. */
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

async function readAt(file: string, length: number): Promise<Buffer> {
  const handle = await openRegular(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Undefined if the file is missing or irregular; an irregular file is moved to quarantine. */
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
  log.error(
    `${path.basename(file)} is not a regular file; moved it to quarantine, and a new file will be created`,
  );
}

function isFileNotFound(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
}
