import { open, type FileHandle } from 'node:fs/promises';

/** Entries of a zip file that is read. */
const MAX_ENTRIES = 1000;
const MAX_DIRECTORY = 1024 * 1024;
/** The end record with the longest comment after it. */
const END_LENGTH = 22;
const MAX_END = END_LENGTH + 0xffff;
const ENTRY_LENGTH = 46;
const LOCAL_LENGTH = 30;
const END_MARK = 0x06054b50;
const ENTRY_MARK = 0x02014b50;
const LOCAL_MARK = 0x04034b50;

/** The packed bytes of the one file in a zip file. */
export interface ZipMember {
  readonly start: number;
  readonly packed: number;
  readonly isDeflated: boolean;
}

interface Entry {
  readonly name: string;
  readonly isEncrypted: boolean;
  readonly method: number;
  readonly packed: number;
  readonly at: number;
  readonly isLink: boolean;
}

/**
 * The one file of a zip file, folders and the notes of macOS left out; or what is wrong with it.
 * The central directory alone says what there is, and nothing is unpacked here.
 */
export async function onlyZipMember(path: string): Promise<ZipMember | string> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const entries = await entriesOf(file, size);
    if (typeof entries === 'string') return entries;
    const unsafe = entries.find(({ name, isLink }) => isLink || isOutside(name));
    if (unsafe !== undefined) return 'a ZIP file with a link or a path out of its folder';
    const files = entries.filter(({ name }) => !/\/$|^__MACOSX\//.test(name));
    const [entry] = files;
    if (entry === undefined || files.length > 1) return `a ZIP file of ${files.length} files`;
    if (entry.isEncrypted) return 'an encrypted ZIP file';
    if (entry.method !== 0 && entry.method !== 8) return 'a ZIP file of an unknown packing';
    const local = await bytesAt(file, entry.at, LOCAL_LENGTH);
    if (local?.readUInt32LE(0) !== LOCAL_MARK) return 'a ZIP file that is broken';
    const start = entry.at + LOCAL_LENGTH + local.readUInt16LE(26) + local.readUInt16LE(28);
    if (start + entry.packed > size) return 'a ZIP file that is broken';
    return { start, packed: entry.packed, isDeflated: entry.method === 8 };
  } finally {
    await file.close();
  }
}

async function entriesOf(file: FileHandle, size: number): Promise<Entry[] | string> {
  const length = Math.min(size, MAX_END);
  const end = await bytesAt(file, size - length, length);
  const at = end === null ? -1 : endIn(end);
  if (end === null || at < 0) return 'a ZIP file that is broken';
  const count = end.readUInt16LE(at + 10);
  const bytes = end.readUInt32LE(at + 12);
  if (count > MAX_ENTRIES || bytes > MAX_DIRECTORY)
    return `a ZIP file of more than ${MAX_ENTRIES} files`;
  const directory = await bytesAt(file, end.readUInt32LE(at + 16), bytes);
  return directory === null ? 'a ZIP file that is broken' : entriesIn(directory, count);
}

/** Where the end record begins whose comment reaches to the end; -1 for none. */
function endIn(bytes: Buffer): number {
  for (let at = bytes.length - END_LENGTH; at >= 0; at--) {
    const isEnd = bytes.readUInt32LE(at) === END_MARK;
    if (isEnd && at + END_LENGTH + bytes.readUInt16LE(at + 20) === bytes.length) return at;
  }
  return -1;
}

function entriesIn(directory: Buffer, count: number): Entry[] | string {
  const entries: Entry[] = [];
  let at = 0;
  while (entries.length < count) {
    const isWhole = at + ENTRY_LENGTH <= directory.length;
    if (!isWhole || directory.readUInt32LE(at) !== ENTRY_MARK) return 'a ZIP file that is broken';
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

async function bytesAt(file: FileHandle, at: number, count: number): Promise<Buffer | null> {
  const bytes = Buffer.alloc(count);
  const { bytesRead } = await file.read(bytes, 0, count, at);
  return bytesRead === count ? bytes : null;
}
