import { open, type FileHandle } from 'node:fs/promises';

export const MAX_ZIP_ENTRIES = 1000;
/** Maximum size of the zip directory: average per entry, plus a fixed allowance. */
const MAX_ENTRY = 256;
const SPARE_DIRECTORY = 1024 * 1024;
/** Size of the end record, with no comment and with the longest possible one. */
const END_LENGTH = 22;
const MAX_END = END_LENGTH + 0xffff;
const ENTRY_LENGTH = 46;
const LOCAL_LENGTH = 30;
const END_MARK = 0x06054b50;
/** The ZIP64 locator precedes the end record of a large archive. */
const LOCATOR_LENGTH = 20;
const WIDE_END_LENGTH = 56;
const LOCATOR_MARK = 0x07064b50;
const WIDE_END_MARK = 0x06064b50;
const ENTRY_MARK = 0x02014b50;
const LOCAL_MARK = 0x04034b50;
const BROKEN_ZIP = 'a broken ZIP file';

export interface ZipMember {
  readonly start: number;
  readonly packed: number;
  readonly isDeflated: boolean;
}

interface DirectoryEntry {
  readonly name: string;
  /** Compressed size according to the central directory. */
  readonly packed: number;
  readonly isEncrypted: boolean;
  readonly method: number;
  readonly at: number;
  readonly isLink: boolean;
}

/** Skips folders and macOS metadata. */
export async function zipMembers(
  path: string,
  maxEntries: number,
): Promise<Map<string, ZipMember> | string> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const entries = await filesIn(file, size, maxEntries);
    if (typeof entries === 'string') return entries;
    const members = new Map<string, ZipMember>();
    for (const entry of entries) {
      if (members.has(entry.name)) return 'a ZIP file with two files of the same name';
      const member = await memberAt(file, entry, size);
      if (typeof member === 'string') return member;
      members.set(entry.name, member);
    }
    return members;
  } finally {
    await file.close();
  }
}

export async function onlyZipMember(path: string): Promise<ZipMember | string> {
  const members = await zipMembers(path, MAX_ZIP_ENTRIES);
  if (typeof members === 'string') return members;
  const [member] = members.values();
  return member === undefined || members.size > 1
    ? `a ZIP file with ${members.size} files`
    : member;
}

async function filesIn(
  file: FileHandle,
  size: number,
  maxEntries: number,
): Promise<DirectoryEntry[] | string> {
  const entries = await readEntries(file, size, maxEntries);
  if (typeof entries === 'string') return entries;
  const unsafe = entries.find(({ name, isLink }) => isLink || isOutside(name));
  if (unsafe !== undefined) return 'a ZIP file with a link or a path outside its folder';
  // Overlapping entries could expand to far more data than the file contains.
  if (entries.reduce((sum, { packed }) => sum + packed, 0) > size) return BROKEN_ZIP;
  return entries.filter(({ name }) => !/\/$|^__MACOSX\//.test(name));
}

async function memberAt(
  file: FileHandle,
  entry: DirectoryEntry,
  size: number,
): Promise<ZipMember | string> {
  if (entry.isEncrypted) return 'an encrypted ZIP file';
  if (entry.method !== 0 && entry.method !== 8)
    return 'a ZIP file with an unsupported compression method';
  const local = await readBytesAt(file, entry.at, LOCAL_LENGTH);
  if (local?.readUInt32LE(0) !== LOCAL_MARK) return BROKEN_ZIP;
  const start = entry.at + LOCAL_LENGTH + local.readUInt16LE(26) + local.readUInt16LE(28);
  if (start + entry.packed > size) return BROKEN_ZIP;
  return { start, packed: entry.packed, isDeflated: entry.method === 8 };
}

async function readEntries(
  file: FileHandle,
  size: number,
  maxEntries: number,
): Promise<DirectoryEntry[] | string> {
  const directory = await readDirectory(file, size);
  if (directory === null) return BROKEN_ZIP;
  const { count, bytes, at } = directory;
  if (count > maxEntries || bytes > maxEntries * MAX_ENTRY + SPARE_DIRECTORY) {
    return `a ZIP file with more than ${maxEntries} files`;
  }
  const entries = await readBytesAt(file, at, bytes);
  return entries === null ? BROKEN_ZIP : entriesIn(entries, count);
}

interface Directory {
  readonly count: number;
  readonly bytes: number;
  readonly at: number;
}

async function readDirectory(file: FileHandle, size: number): Promise<Directory | null> {
  const length = Math.min(size, MAX_END);
  const end = await readBytesAt(file, size - length, length);
  const at = end === null ? -1 : endIn(end);
  if (end === null || at < 0) return null;
  const count = end.readUInt16LE(at + 10);
  if (count === 0xffff) return readZip64Directory(file, size - length + at);
  return { count, bytes: end.readUInt32LE(at + 12), at: end.readUInt32LE(at + 16) };
}

/** Reads the ZIP64 directory of an archive with 65,535 or more entries. */
async function readZip64Directory(file: FileHandle, endAt: number): Promise<Directory | null> {
  const locator = await readBytesAt(file, endAt - LOCATOR_LENGTH, LOCATOR_LENGTH);
  if (locator?.readUInt32LE(0) !== LOCATOR_MARK) return null;
  const end = await readBytesAt(file, Number(locator.readBigUInt64LE(8)), WIDE_END_LENGTH);
  if (end?.readUInt32LE(0) !== WIDE_END_MARK) return null;
  const [count, bytes, at] = [32, 40, 48].map((place) => Number(end.readBigUInt64LE(place)));
  return { count: count ?? 0, bytes: bytes ?? 0, at: at ?? 0 };
}

/** Returns the offset of the end record whose comment ends the file, or -1. */
function endIn(bytes: Buffer): number {
  for (let at = bytes.length - END_LENGTH; at >= 0; at--) {
    const isEnd = bytes.readUInt32LE(at) === END_MARK;
    if (isEnd && at + END_LENGTH + bytes.readUInt16LE(at + 20) === bytes.length) return at;
  }
  return -1;
}

function entriesIn(directory: Buffer, count: number): DirectoryEntry[] | string {
  const entries: DirectoryEntry[] = [];
  let at = 0;
  while (entries.length < count) {
    const isWhole = at + ENTRY_LENGTH <= directory.length;
    if (!isWhole || directory.readUInt32LE(at) !== ENTRY_MARK) return BROKEN_ZIP;
    const nameEnd = at + ENTRY_LENGTH + directory.readUInt16LE(at + 28);
    entries.push({
      name: directory.toString('utf8', at + ENTRY_LENGTH, nameEnd),
      isEncrypted: (directory.readUInt16LE(at + 8) & 1) === 1,
      method: directory.readUInt16LE(at + 10),
      packed: directory.readUInt32LE(at + 20),
      at: directory.readUInt32LE(at + 42),
      isLink: ((directory.readUInt32LE(at + 38) >>> 28) & 0xf) === 0xa,
    });
    at = nameEnd + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  return entries;
}

function isOutside(name: string): boolean {
  return /^[/\\]|^[a-z]:|(?:^|[/\\])\.\.(?:[/\\]|$)/i.test(name);
}

async function readBytesAt(file: FileHandle, at: number, count: number): Promise<Buffer | null> {
  if (at < 0 || !Number.isSafeInteger(at)) return null;
  const bytes = Buffer.alloc(count);
  const { bytesRead } = await file.read(bytes, 0, count, at);
  return bytesRead === count ? bytes : null;
}
