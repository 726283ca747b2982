import { closeSync, fstatSync, readFileSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { openSnapshotFile } from './segment-file';

/** Names of the index: while it is valid, while it is written, and once it was taken over. */
const INDEX = 'index';
const DRAFT = 'index.new';
const TAKEN = 'index.taken';

/** The files of a snapshot: an index, and one file for each shard, which the index names. */
export class SnapshotFolder {
  constructor(private readonly folder: string) {}

  /** Makes it where there is none; answers how many bytes are free there. */
  async prepare(): Promise<number> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const { bsize, bavail } = await statfs(this.folder);
    return bsize * bavail;
  }

  fileOf(name: string, shard: number): string {
    return join(this.folder, `${name}-${shard}`);
  }

  /** Makes the files of that name the snapshot, and removes all others. */
  async publish(name: string, json: string): Promise<void> {
    const draft = join(this.folder, DRAFT);
    await writeFile(draft, `${crc32(json)}\n${json}`, { mode: 0o600 });
    await rename(draft, join(this.folder, INDEX));
    await this.removeAllBut(name, INDEX);
  }

  /**
   * The index, which then counts as taken: a process that dies of a snapshot leaves none to the next
   * one, unless it has released it. Null without any; throws when it is damaged.
   */
  async takeIndex(): Promise<string | null> {
    const file = join(this.folder, TAKEN);
    try {
      await rename(join(this.folder, INDEX), file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
    const text = readText(file);
    const end = text.indexOf('\n');
    const json = text.slice(end + 1);
    if (text.slice(0, end) !== String(crc32(json))) throw new Error('the checksum differs');
    return json;
  }

  /** Whether there is a snapshot that may be taken. */
  async isFilled(): Promise<boolean> {
    const found = await stat(join(this.folder, INDEX)).catch(() => null);
    return found !== null;
  }

  /** Puts the files back, so that the next process may take them as well. */
  async release(): Promise<void> {
    await rename(join(this.folder, TAKEN), join(this.folder, INDEX));
  }

  /** Removes what belongs to no snapshot: of a process that died while it wrote one. */
  async removeAllBut(name: string, ...others: string[]): Promise<void> {
    for (const file of await readdir(this.folder)) {
      if (others.includes(file) || file.startsWith(`${name}-`)) continue;
      await rm(join(this.folder, file), { recursive: true, force: true });
    }
  }

  /** Only what was taken over, and is the snapshot of that name. */
  removeAllButTaken(name: string): Promise<void> {
    return this.removeAllBut(name, TAKEN);
  }

  async removeFiles(name: string, shards: number): Promise<void> {
    for (let shard = 0; shard < shards; shard += 1) {
      await rm(this.fileOf(name, shard), { force: true });
    }
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }
}

function readText(file: string): string {
  const fd = openSnapshotFile(file);
  try {
    if (!fstatSync(fd).isFile()) throw new Error('it is no regular file');
    return readFileSync(fd, 'utf8');
  } finally {
    closeSync(fd);
  }
}
