import { PagedFile } from './paged-file';

/** 8 MB is enough, because a service's visitors come from few networks. */
const MAX_PAGES = 2048;
const SEPARATOR_BYTES = 16;
const METADATA_MARKER = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
const METADATA_BYTES = 128 * 1024;
/** Limits recursion when a file is damaged. */
const MAX_DEPTH = 64;

const POINTER = 1;
const UTF8 = 2;
const DOUBLE_TYPE = 3;
const BYTES_TYPE = 4;
const UINT16 = 5;
const UINT32 = 6;
const MAP = 7;
const INT32_TYPE = 8;
const UINT64 = 9;
const UINT128 = 10;
const ARRAY_TYPE = 11;
const BOOLEAN_TYPE = 14;
const FLOAT = 15;

/** Base values that are added to pointers by size, so that the ranges do not overlap. */
const POINTER_BASE = [0, 2048, 526_336, 0] as const;

interface Decoded {
  value: unknown;
  end: number;
}

/** Reads MMDB 2.0 page by page, because a complete file would take too much memory. */
export class MmdbReader {
  private readonly file: PagedFile;
  private readonly nodeCount: number;
  private readonly recordBits: number;
  private readonly dataStart: number;
  private readonly ipVersion: number;
  private readonly ipv4Start: number;

  constructor(path: string, mostPages = MAX_PAGES) {
    this.file = new PagedFile(path, mostPages);
    try {
      const { nodeCount, recordBits, ipVersion } = this.readMetadata();
      this.nodeCount = nodeCount;
      this.recordBits = recordBits;
      this.ipVersion = ipVersion;
      this.dataStart = (nodeCount * recordBits) / 4 + SEPARATOR_BYTES;
      if (this.dataStart >= this.file.size) throw new Error('it is truncated');
      this.ipv4Start = ipVersion === 4 ? 0 : this.descend(0, new Uint8Array(12));
    } catch (error) {
      this.file.close();
      throw error;
    }
  }

  /** Returns the offset of the record for 4 or 16 address bytes; null if there is none. */
  find(address: Uint8Array): number | null {
    if (address.length === 16 && this.ipVersion === 4) return null;
    const found = this.descend(address.length === 4 ? this.ipv4Start : 0, address);
    return found > this.nodeCount
      ? found - this.nodeCount - SEPARATOR_BYTES + this.dataStart
      : null;
  }

  record(position: number): unknown {
    return this.decode(position, this.dataStart, 0).value;
  }

  close(): void {
    this.file.close();
  }

  private descend(node: number, bits: Uint8Array): number {
    let at = node;
    for (const byte of bits) {
      for (let bit = 7; bit >= 0 && at < this.nodeCount; bit -= 1) {
        at = this.child(at, (byte >> bit) & 1);
      }
    }
    return at;
  }

  private child(node: number, side: number): number {
    const { file, recordBits } = this;
    const offset = (node * recordBits) / 4;
    if (recordBits !== 28) return file.uint(offset + (side * recordBits) / 8, recordBits / 8);
    // The middle byte contains the upper four bits of both records.
    const middle = file.byte(offset + 3);
    const high = side === 0 ? middle >> 4 : middle & 15;
    return high * 2 ** 24 + file.uint(offset + side * 4, 3);
  }

  private readMetadata(): { nodeCount: number; recordBits: number; ipVersion: number } {
    const from = Math.max(0, this.file.size - METADATA_BYTES);
    const marker = this.file.bytes(from, this.file.size - from).lastIndexOf(METADATA_MARKER);
    if (marker < 0) throw new Error('it is not an MMDB file');
    const start = from + marker + METADATA_MARKER.length;
    const metadata = this.decode(start, start, 0).value as Record<string, unknown>;
    const {
      binary_format_major_version: format,
      node_count: nodeCount,
      record_size: recordBits,
      ip_version: ipVersion,
    } = metadata;
    if (format !== 2) throw new Error(`its format is unknown: ${String(format)}`);
    if (typeof nodeCount !== 'number' || nodeCount < 1) throw new Error('it has no nodes');
    if (recordBits !== 24 && recordBits !== 28 && recordBits !== 32) {
      throw new Error(`its node size is unknown: ${String(recordBits)}`);
    }
    if (ipVersion !== 4 && ipVersion !== 6) throw new Error('its kind of address is unknown');
    return { nodeCount, recordBits, ipVersion };
  }

  /** @param base offset to which pointers are relative */
  private decode(offset: number, base: number, depth: number): Decoded {
    if (depth > MAX_DEPTH) throw new Error('Its values are nested too deeply');
    const { file } = this;
    const control = file.byte(offset);
    let type = control >> 5;
    let start = offset + 1;
    if (type === POINTER) return this.follow(control, start, base, depth);
    if (type === 0) {
      type = file.byte(start) + 7;
      start += 1;
    }
    let size = control & 31;
    if (size >= 29) {
      const extra = size - 28;
      // Base values for sizes of one, two and three bytes.
      size = file.uint(start, extra) + ([29, 285, 65_821][extra - 1] ?? 0);
      start += extra;
    }
    if (type === MAP) return this.decodeMap(start, size, base, depth);
    if (type === ARRAY_TYPE) return this.decodeArray(start, size, base, depth);
    if (type === BOOLEAN_TYPE) return { value: size !== 0, end: start };
    return { value: this.decodeScalar(type, start, size), end: start + size };
  }

  private follow(control: number, start: number, base: number, depth: number): Decoded {
    const kind = (control >> 3) & 3;
    const length = kind + 1;
    const low = this.file.uint(start, length);
    const high = kind === 3 ? 0 : (control & 7) * 256 ** length;
    const target = base + high + low + POINTER_BASE[kind as 0 | 1 | 2 | 3];
    return { value: this.decode(target, base, depth + 1).value, end: start + length };
  }

  private decodeMap(start: number, size: number, base: number, depth: number): Decoded {
    const entries: [string, unknown][] = [];
    let at = start;
    for (let i = 0; i < size; i += 1) {
      const key = this.decode(at, base, depth + 1);
      const { value, end } = this.decode(key.end, base, depth + 1);
      entries.push([String(key.value), value]);
      at = end;
    }
    return { value: Object.fromEntries(entries), end: at };
  }

  private decodeArray(start: number, size: number, base: number, depth: number): Decoded {
    const value: unknown[] = [];
    let at = start;
    for (let i = 0; i < size; i += 1) {
      const item = this.decode(at, base, depth + 1);
      value.push(item.value);
      at = item.end;
    }
    return { value, end: at };
  }

  private decodeScalar(type: number, start: number, size: number): unknown {
    const bytes = this.file.bytes(start, size);
    switch (type) {
      case UTF8:
        return bytes.toString();
      case BYTES_TYPE:
        return bytes;
      case DOUBLE_TYPE:
        return bytes.readDoubleBE();
      case FLOAT:
        return bytes.readFloatBE();
      case UINT16:
      case UINT32:
        return size === 0 ? 0 : bytes.readUIntBE(0, size);
      case INT32_TYPE:
        return size === 4 ? bytes.readInt32BE() : this.file.uint(start, size);
      case UINT64:
      case UINT128:
        return BigInt(size === 0 ? 0 : `0x${bytes.toString('hex')}`);
      default:
        throw new Error(`It has values of an unknown type: ${type}`);
    }
  }
}
