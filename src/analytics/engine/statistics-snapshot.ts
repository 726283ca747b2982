import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Logger } from '../../common/log';
import { version } from '../../common/package-info';
import { reasonOf } from '../../runtime/child-process/child-messages';
import type { ResidentCache } from './resident-cache';
import { ResidentClicks, type ResidentState } from './resident-clicks';
import type { Shards } from './shard-pool';
import { type InternedLabels, StringInterner } from './string-interner';

/** To be raised when it is written otherwise, or a stored chunk read into other segments. */
const FORMAT = 3;
const INDEX = 'index';
/** No more than this share of what is free on the disk is taken. */
const DISK_SHARE = 0.5;

/** What is written last, and says what the files of the shards hold. */
interface SnapshotIndex {
  /** Format and release: segments of others may differ in what they mean. */
  readonly writer: string;
  readonly name: string;
  readonly shards: number;
  readonly bytes: number;
  readonly labels: InternedLabels;
  /** What was asked about longest ago first. */
  readonly residents: readonly (readonly [key: string, state: ResidentState])[];
}

const WRITER = `${FORMAT} ${version()}`;

/**
 * The clicks that a statistics process holds, left to the next one, so that the first question after
 * a restart need not read them all again. What is restored is held as if it had been read: blocks
 * never change, and whatever was recorded, compacted or repaired since shows with the question.
 *
 * A snapshot is used once and removed. Without one, or with one that is damaged, of another
 * release, or too large for the memory, clicks are read from the database.
 */
export class StatisticsSnapshot {
  constructor(
    private readonly folder: string,
    private readonly shards: Shards,
    private readonly cache: ResidentCache,
    private readonly memoryBytes: number,
    private readonly log: Logger,
  ) {}

  /** Never fails: without a snapshot the next process only starts without one. */
  async save(): Promise<void> {
    try {
      await this.remove();
      const { bytes } = this.cache;
      const entries = this.cache.entries();
      if (entries.length === 0) return;
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      if (bytes > (await this.freeBytes()) * DISK_SHARE) return;
      const name = randomUUID();
      const residents = entries.map(([, { id }]) => id);
      await this.all((shard) =>
        this.shards.call(shard, 'save', { file: this.fileOf(shard), name, residents }),
      );
      await this.writeIndex({
        ...{ writer: WRITER, name, shards: this.shards.count, bytes },
        labels: this.cache.interner.labels,
        residents: entries.map(([key, resident]) => [key, resident.state]),
      });
    } catch (error) {
      this.log.warn('The clicks in memory are not saved: the next start reads them again', {
        reason: reasonOf(error),
      });
      await this.remove().catch(() => undefined);
    }
  }

  /** Never fails, but may leave the memory empty. */
  async restore(): Promise<void> {
    try {
      const index = await this.readIndex();
      // Before it is used: one that this process dies of must not be met by the next one.
      await rm(this.indexFile, { force: true });
      if (index !== null) await this.take(index);
    } catch (error) {
      this.log.warn('The clicks saved by the last process are of no use and are read again', {
        reason: reasonOf(error),
      });
    }
    await this.remove().catch(() => undefined);
  }

  private async take({ writer, name, shards, bytes, ...saved }: SnapshotIndex): Promise<void> {
    if (writer !== WRITER || shards !== this.shards.count || bytes > this.memoryBytes) return;
    const entries = saved.residents.map(
      ([key, state], place) => [key, ResidentClicks.of(place + 1, state)] as const,
    );
    const residents = entries.map(([, { id }]) => id);
    try {
      await this.all((shard) =>
        this.shards.call(shard, 'restore', { file: this.fileOf(shard), name, residents }),
      );
    } catch (error) {
      for (const resident of residents) {
        await this.all((shard) => this.shards.call(shard, 'drop', { resident }));
      }
      throw error;
    }
    this.cache.adopt(StringInterner.with(saved.labels), entries);
  }

  private async writeIndex(index: SnapshotIndex): Promise<void> {
    const json = JSON.stringify(index);
    const draft = `${this.indexFile}.new`;
    await writeFile(draft, `${crc32(json)}\n${json}`, { mode: 0o600 });
    await rename(draft, this.indexFile);
  }

  /** Null without one. */
  private async readIndex(): Promise<SnapshotIndex | null> {
    let text: string;
    try {
      text = await readFile(this.indexFile, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
    const end = text.indexOf('\n');
    const json = text.slice(end + 1);
    if (text.slice(0, end) !== String(crc32(json))) throw new Error('the checksum differs');
    return JSON.parse(json) as SnapshotIndex;
  }

  private get indexFile(): string {
    return join(this.folder, INDEX);
  }

  private fileOf(shard: number): string {
    return join(this.folder, `shard-${shard}`);
  }

  private async freeBytes(): Promise<number> {
    const { bsize, bavail } = await statfs(this.folder);
    return bsize * bavail;
  }

  private remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }

  /** Settles when all have: none works on after a failure of another. */
  private async all(call: (shard: number) => Promise<undefined>): Promise<void> {
    const calls = Array.from({ length: this.shards.count }, (_, shard) => call(shard));
    const failed = (await Promise.allSettled(calls)).find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }
}
