import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEGABYTE = 1024 * 1024;

/** A small file system for a test, which can be filled up. */
export class SmallDisk {
  private constructor(readonly path: string) {}

  static mount(path: string, megabytes: number): SmallDisk {
    mkdirSync(path, { recursive: true });
    const options = ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path];
    const { status, stderr } = spawnSync('mount', options);
    if (status !== 0) throw new Error(`No small disk can be mounted: ${stderr.toString()}`);
    return new SmallDisk(path);
  }

  get free(): number {
    const { bavail, bsize } = statfsSync(this.path);
    return bavail * bsize;
  }

  fillUpTo(left: number): void {
    const file = openSync(this.filler, 'a');
    const block = Buffer.alloc(MEGABYTE);
    while (this.free > left + MEGABYTE) writeSync(file, block);
    closeSync(file);
  }

  fill(): void {
    for (let size = MEGABYTE; size >= 1; size = Math.floor(size / 2)) {
      try {
        const written = existsSync(this.filler) ? statSync(this.filler).size : 0;
        writeFileSync(this.filler, Buffer.alloc(size), { flag: 'a' });
        if (statSync(this.filler).size > written) size *= 2;
      } catch {
        // The disk is too full for this size. A smaller chunk may still fit.
      }
    }
  }

  clear(): void {
    rmSync(this.filler, { force: true });
  }

  unmount(): void {
    // Unmounts lazily, because a service left by a failed test may have open files.
    spawnSync('umount', ['-l', this.path]);
  }

  private get filler(): string {
    return join(this.path, 'filler');
  }
}

/** Mounting needs root. Without root, the tests are skipped. */
export const describeOnSmallDisk = canMount() ? describe : describe.skip;

function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'curtail-mount-'));
  try {
    SmallDisk.mount(folder, 1).unmount();
    return true;
  } catch {
    console.warn('Skipped: tests on a small disk need a root who may mount one');
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
