/** Header size; files are padded to a multiple of this size. */
export const TAR_BLOCK = 512;
export const TAR_END = Buffer.alloc(2 * TAR_BLOCK);
const NAME_BYTES = 100;
/** Header field for the folders in a long path. */
const PREFIX = { at: 345, bytes: 155 };
const MAGIC = 'ustar\u0000';
/** A larger size needs more than 11 octal digits and is written in GNU tar's format. */
const MAX_OCTAL_SIZE = 8 ** 11 - 1;

interface TarHeader {
  name: string;
  bytes: number;
  /** False for folders, and for entries that describe the next entry. */
  isFile: boolean;
}

/** Returns a POSIX ustar header for a file that only its owner can access. */
export function tarHeader(name: string, bytes: number, modified: Date): Buffer {
  const header = Buffer.alloc(TAR_BLOCK);
  writeName(header, name);
  writeOctal(header, 0o600, 100, 8);
  writeOctal(header, 0, 108, 8);
  writeOctal(header, 0, 116, 8);
  if (bytes <= MAX_OCTAL_SIZE) writeOctal(header, bytes, 124, 12);
  else {
    header[124] = 0x80;
    header.writeBigUInt64BE(BigInt(bytes), 128);
  }
  writeOctal(header, Math.floor(modified.getTime() / 1000), 136, 12);
  header.write('0', 156);
  header.write(`${MAGIC}00`, 257, 'latin1');
  writeOctal(header, headerChecksum(header), 148, 8);
  return header;
}

export function tarPadding(bytes: number): number {
  return (TAR_BLOCK - (bytes % TAR_BLOCK)) % TAR_BLOCK;
}

/** Undefined for an empty block, which ends an archive; null if the header is invalid. */
export function parseTarHeader(block: Buffer): TarHeader | null | undefined {
  if (block.every((byte) => byte === 0)) return undefined;
  if (readOctal(block, 148, 8) !== headerChecksum(block)) return null;
  const large = (block[124] ?? 0) === 0x80;
  const bytes = large ? Number(block.readBigUInt64BE(128)) : readOctal(block, 124, 12);
  if (!Number.isSafeInteger(bytes)) return null;
  const type = String.fromCharCode(block[156] ?? 0);
  // If a folder was archived as `.`, names begin with `./`.
  const name = nameIn(block).replace(/^(?:\.\/)+/, '');
  return { name, bytes, isFile: type === '0' || type === '\0' };
}

function writeName(header: Buffer, name: string): void {
  const isLong = Buffer.byteLength(name) > NAME_BYTES;
  const slash = isLong ? name.lastIndexOf('/') : -1;
  if (Buffer.byteLength(name) - slash - 1 > NAME_BYTES || slash > PREFIX.bytes) {
    throw new Error(`The name ${name} is too long for a tar file`);
  }
  header.write(name.slice(slash + 1), 0);
  if (slash > 0) header.write(name.slice(0, slash), PREFIX.at);
}

function nameIn(block: Buffer): string {
  const name = readField(block.subarray(0, NAME_BYTES));
  // In GNU tar's format, this field contains other data.
  if (block.toString('latin1', 257, 257 + MAGIC.length) !== MAGIC) return name;
  const prefix = readField(block.subarray(PREFIX.at, PREFIX.at + PREFIX.bytes));
  return prefix === '' ? name : `${prefix}/${name}`;
}

function writeOctal(header: Buffer, value: number, at: number, length: number): void {
  header.write(value.toString(8).padStart(length - 1, '0'), at, 'latin1');
}

function readOctal(block: Buffer, at: number, length: number): number {
  const digits = readField(block.subarray(at, at + length)).trim();
  return /^[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : NaN;
}

function headerChecksum(header: Buffer): number {
  return header.reduce((sum, byte, i) => sum + (i >= 148 && i < 156 ? 0x20 : byte), 0);
}

function readField(field: Buffer): string {
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end < 0 ? field.length : end);
}
