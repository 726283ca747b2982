import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExportedFile } from '../../imports/sources/curtail/export-codec';
import { splitLines } from '../../imports/sources/curtail/lines';

const FLUSH_CHARACTERS = 256 * 1024;

/** Bytes by file name. */
export type FileSizes = Readonly<Record<string, number>>;

/** A file that is continued at a known size. */
export class AppendedFile {
  private pieces: string[] = [];
  private held = 0;

  private constructor(
    private readonly file: FileHandle,
    public size: number,
  ) {}

  /** Discards what a killed process has written after this size. */
  static async open(path: string, size: number): Promise<AppendedFile> {
    const file = await open(path, 'a', 0o600);
    await file.truncate(size);
    return new AppendedFile(file, size);
  }

  async write(text: string): Promise<void> {
    this.pieces.push(text);
    this.held += text.length;
    if (this.held >= FLUSH_CHARACTERS) await this.flush();
  }

  async flush(): Promise<void> {
    const bytes = Buffer.from(this.pieces.join(''));
    [this.pieces, this.held] = [[], 0];
    await this.file.writeFile(bytes);
    this.size += bytes.length;
  }

  async close(): Promise<void> {
    await this.file.close();
  }
}

/** An unfinished export's files on this machine. */
export class ExportFolder {
  constructor(private readonly path: string) {}

  pathOf(name: string): string {
    return join(this.path, name.replace('/', '-'));
  }

  async reset(): Promise<void> {
    await this.remove();
    await mkdir(this.path, { recursive: true, mode: 0o700 });
  }

  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }

  /** False if the job has begun on another machine. */
  async holds(sizes: FileSizes): Promise<boolean> {
    for (const [name, size] of [['', 0] as const, ...Object.entries(sizes)]) {
      const found = await stat(this.pathOf(name)).catch(() => null);
      if (found === null || found.size < size) return false;
    }
    return true;
  }

  async append<T>(
    names: readonly string[],
    sizes: FileSizes,
    use: (files: readonly AppendedFile[]) => Promise<T>,
  ): Promise<{ result: T; sizes: FileSizes }> {
    const files: AppendedFile[] = [];
    try {
      for (const name of names)
        files.push(await AppendedFile.open(this.pathOf(name), sizes[name] ?? 0));
      const result = await use(files);
      for (const file of files) await file.flush();
      const written = names.map((name, at) => [name, files[at]?.size ?? 0]);
      return { result, sizes: { ...sizes, ...(Object.fromEntries(written) as FileSizes) } };
    } finally {
      await Promise.all(files.map((file) => file.close()));
    }
  }

  /** Yields the lines of a file that has this size. */
  async *lines(name: string, size: number): AsyncGenerator<string> {
    if (size === 0) return;
    const pieces = createReadStream(this.pathOf(name), { end: size - 1 });
    for await (const { bytes } of splitLines(pieces as AsyncIterable<Buffer>))
      yield bytes.toString();
  }

  async digest(name: string, records: number | null): Promise<ExportedFile> {
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const piece of createReadStream(this.pathOf(name)) as AsyncIterable<Buffer>) {
      hash.update(piece);
      bytes += piece.length;
    }
    return { name, bytes, sha256: hash.digest('hex'), records };
  }
}
