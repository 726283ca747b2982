import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const PAGE_BYTES = 4096;

/** Reads a file page by page and caches a limited number of pages (second-chance algorithm). */
export class PagedFile {
  readonly size: number;
  private readonly fd: number;
  private readonly pages: (Buffer | undefined)[];
  private readonly kept: number[] = [];
  private readonly used: Uint8Array;
  private hand = 0;

  constructor(
    path: string,
    private readonly mostPages: number,
  ) {
    this.fd = openSync(path, 'r');
    const found = fstatSync(this.fd);
    if (!found.isFile()) {
      this.close();
      throw new Error('it is not a file');
    }
    this.size = found.size;
    const count = Math.ceil(this.size / PAGE_BYTES);
    this.pages = Array.from({ length: count }, () => undefined);
    this.used = new Uint8Array(count);
  }

  /** @throws RangeError if the offset is past the end of the file */
  byte(offset: number): number {
    const value = this.page(Math.floor(offset / PAGE_BYTES))[offset % PAGE_BYTES];
    if (value === undefined) throw new RangeError(`byte ${offset} is not in the file`);
    return value;
  }

  /** Reads a big-endian number of up to six bytes. */
  uint(offset: number, length: number): number {
    const start = offset % PAGE_BYTES;
    let value = 0;
    if (start + length <= PAGE_BYTES) {
      const page = this.page(Math.floor(offset / PAGE_BYTES));
      if (start + length > page.length) throw new RangeError(`byte ${offset} is not in the file`);
      for (let i = start; i < start + length; i += 1) value = value * 256 + (page[i] ?? 0);
    } else {
      for (let i = 0; i < length; i += 1) value = value * 256 + this.byte(offset + i);
    }
    return value;
  }

  bytes(offset: number, length: number): Buffer {
    if (offset + length > this.size) throw new RangeError(`byte ${offset} is not in the file`);
    const copy = Buffer.allocUnsafe(length);
    for (let done = 0; done < length;) {
      const at = offset + done;
      const part = this.page(Math.floor(at / PAGE_BYTES)).subarray(at % PAGE_BYTES);
      // The file was truncated after it was opened.
      if (part.length === 0) throw new RangeError(`byte ${at} is not in the file`);
      done += part.copy(copy, done);
    }
    return copy;
  }

  close(): void {
    closeSync(this.fd);
  }

  private page(number: number): Buffer {
    this.used[number] = 1;
    return this.pages[number] ?? this.load(number);
  }

  private load(number: number): Buffer {
    const buffer = this.room(number);
    const bytes = readSync(this.fd, buffer, 0, PAGE_BYTES, number * PAGE_BYTES);
    const page = bytes === PAGE_BYTES ? buffer : buffer.subarray(0, bytes);
    this.pages[number] = page;
    return page;
  }

  private room(number: number): Buffer {
    if (this.kept.length < this.mostPages) {
      this.kept.push(number);
      return Buffer.allocUnsafeSlow(PAGE_BYTES);
    }
    for (;;) {
      const oldest = this.kept[this.hand] ?? 0;
      if (this.used[oldest] === 0) {
        const buffer = this.pages[oldest];
        this.pages[oldest] = undefined;
        this.kept[this.hand] = number;
        return buffer?.length === PAGE_BYTES ? buffer : Buffer.allocUnsafeSlow(PAGE_BYTES);
      }
      this.used[oldest] = 0;
      this.hand = (this.hand + 1) % this.mostPages;
    }
  }
}
