import path from 'node:path';
import type { JournalFiles } from '../../../src/clicks/journal/journal.files';

interface StoredFile {
  bytes: Buffer;
  synced: number;
}

/**
 * A disk with a write cache: a power loss discards all unsynced data and file names. `datasync`
 * and `syncFolder` take effect on `completeSyncs`.
 */
export class ForgetfulDisk implements JournalFiles {
  syncs = 0;
  private readonly open = new Map<number, StoredFile>();
  private names = new Map<string, StoredFile>();
  private durableNames = new Map<string, StoredFile>();
  private nextDescriptor = 10;
  private readonly pending: (() => void)[] = [];

  get openDescriptors(): number {
    return this.open.size;
  }

  openSync(name: string): number {
    const file = { bytes: Buffer.alloc(0), synced: 0 };
    this.names.set(name, file);
    this.open.set(++this.nextDescriptor, file);
    return this.nextDescriptor;
  }

  writeSync(fd: number, bytes: Buffer, offset: number, length: number): number {
    const file = this.fileOf(fd);
    file.bytes = Buffer.concat([file.bytes, bytes.subarray(offset, offset + length)]);
    return length;
  }

  truncateSync(fd: number, length: number): void {
    const file = this.fileOf(fd);
    file.bytes = file.bytes.subarray(0, length);
  }

  closeSync(fd: number): void {
    this.fileOf(fd);
    this.open.delete(fd);
  }

  datasync(fd: number): Promise<void> {
    const file = this.fileOf(fd);
    const { length } = file.bytes;
    this.syncs++;
    return this.later(() => {
      // After an early close, the descriptor may belong to another file.
      this.fileOf(fd);
      file.synced = Math.max(file.synced, length);
    });
  }

  datasyncSync(fd: number): void {
    const file = this.fileOf(fd);
    file.synced = file.bytes.length;
  }

  syncFolder(): Promise<void> {
    const names = new Map(this.names);
    return this.later(() => (this.durableNames = names));
  }

  renameSync(from: string, to: string): void {
    this.names.set(to, this.names.get(from)!);
    this.names.delete(from);
  }

  unlinkSync(name: string): void {
    this.names.delete(name);
  }

  space(): Promise<{ size: number; free: number }> {
    return Promise.resolve({ size: 0, free: 0 });
  }

  async completeSyncs(count = this.pending.length): Promise<void> {
    for (const complete of this.pending.splice(0, count)) complete();
    for (let i = 0; i < 5; i++) await Promise.resolve();
  }

  afterPowerLoss(): Map<string, Buffer> {
    return new Map(
      [...this.durableNames].map(([name, { bytes, synced }]) => [
        path.basename(name),
        bytes.subarray(0, synced),
      ]),
    );
  }

  private async later(effect: () => void): Promise<void> {
    await new Promise<void>((settle) => this.pending.push(settle));
    effect();
  }

  private fileOf(fd: number): StoredFile {
    const file = this.open.get(fd);
    if (file === undefined) throw Object.assign(new Error('closed'), { code: 'EBADF' });
    return file;
  }
}
