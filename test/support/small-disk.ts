import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

const MEGABYTE = 1024 * 1024;

/** A small file system of a test's own, and what somebody else fills it with. */
export class SmallDisk {
  private constructor(
    readonly path: string,
    private readonly mounted: boolean,
  ) {}

  /** Mounts it at `path`; null, with a word why, where only a root may mount and we are none. */
  static mount(path: string, megabytes: number): SmallDisk | null {
    mkdirSync(path, { recursive: true });
    const { status } = spawnSync('mount', [
      '-t',
      'tmpfs',
      '-o',
      `size=${megabytes}m`,
      'tmpfs',
      path,
    ]);
    if (status === 0) return new SmallDisk(path, true);
    console.warn('Skipped: no small disk can be mounted here (needs root)');
    return null;
  }

  get free(): number {
    const { bavail, bsize } = statfsSync(this.path);
    return bavail * bsize;
  }

  /** Fills it until so many bytes are left. */
  fillUpTo(left: number): void {
    const file = openSync(this.filler, 'a');
    const block = Buffer.alloc(MEGABYTE);
    while (this.free > left + MEGABYTE) writeSync(file, block);
    closeSync(file);
  }

  /** Fills it until not a byte fits any more. */
  fill(): void {
    for (let size = MEGABYTE; size >= 1; size = Math.floor(size / 2)) {
      try {
        const written = existsSync(this.filler) ? statSync(this.filler).size : 0;
        writeFileSync(this.filler, Buffer.alloc(size), { flag: 'a' });
        if (statSync(this.filler).size > written) size *= 2;
      } catch {
        // Full for this size; a smaller piece may still fit.
      }
    }
  }

  clear(): void {
    rmSync(this.filler, { force: true });
  }

  unmount(): void {
    // Lazily: a test that failed may have left a service that still has files open.
    if (this.mounted) spawnSync('umount', ['-l', this.path]);
  }

  private get filler(): string {
    return join(this.path, 'filler');
  }
}
