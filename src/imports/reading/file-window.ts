const CHUNK_BYTES = 256 * 1024;
export const MAX_ROW_BYTES = 1024 * 1024;
export const MAX_FIELD_BYTES = 64 * 1024;
/** Windows-1252 characters 0x80 to 0x9f, which Latin-1 lacks. */
const OF_WINDOWS = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

export type ReadBytes = (into: Buffer, at: number) => Promise<{ bytesRead: number }>;

export class FileWindow {
  bytes: Buffer = Buffer.alloc(0);
  isAtEnd = false;
  /** Number of bytes that were read again after invalid input. */
  reread = 0;

  constructor(
    private readonly read: ReadBytes,
    public offset: number,
  ) {}

  async startsWith(start: Buffer): Promise<boolean> {
    if (this.bytes.length < start.length) await this.extend();
    return this.bytes.subarray(0, start.length).equals(start);
  }

  async extend(): Promise<void> {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const { bytesRead } = await this.read(chunk, this.offset + this.bytes.length);
    this.isAtEnd = bytesRead === 0;
    this.bytes = Buffer.concat([this.bytes, chunk.subarray(0, bytesRead)]);
  }

  skip(count: number): void {
    this.offset += count;
    this.bytes = this.bytes.subarray(count);
  }

  moveTo(offset: number): void {
    this.offset = offset;
    this.bytes = Buffer.alloc(0);
    this.isAtEnd = false;
  }
}

/** Decodes bytes that are not UTF-8 as Windows-1252, which is the most likely encoding. */
export function fromWindows1252(bytes: Buffer): string {
  const text = bytes.toString('latin1');
  return text.replace(/[\u0080-\u009f]/g, (character) =>
    OF_WINDOWS.charAt(character.charCodeAt(0) - 0x80),
  );
}
