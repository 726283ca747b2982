import { randomUUID } from 'node:crypto';
import { CancelledError } from '../engine.errors';
import { Cancellation } from '../cancellation';
import type { ResidentCache } from './resident-cache';
import { ResidentClicks, type ResidentState } from './resident-clicks';
import type { Shards } from '../shards/shards';
import { SnapshotFolder } from './snapshot-folder';
import { type InternedLabels, StringInterner } from '../reading/string-interner';

/** To be raised when it is written otherwise, or a stored chunk read into other segments. */
const SNAPSHOT_FORMAT = 4;
/** No more than this share of what is free on the disk is taken. */
const DISK_SHARE = 0.5;
/** More is saved at the end alone: at the pace of the background it would take minutes. */
const MAX_BACKGROUND_BYTES = 2 ** 31;
/** While the process lives a snapshot is written when it differs by this share of the clicks held. */
const CHANGED_SHARE = 0.25;

/** The index, written last, which says what the files of the shards hold. */
interface SnapshotIndex {
  /** Format and release: segments of others may differ in what they mean. */
  readonly writer: string;
  readonly name: string;
  readonly shards: number;
  readonly bytes: number;
  readonly labels: InternedLabels;
  /** Ordered by last use, the oldest first. */
  readonly residents: readonly (readonly [key: string, state: ResidentState])[];
}

export interface SnapshotSettings {
  readonly folder: string;
  /** The release that writes: another one may read stored chunks into other segments. */
  readonly release: string;
  /** Bytes that may be held: what is larger is not taken over. */
  readonly memoryBytes: number;
  /** So many clicks by which the last snapshot differs are worth another one while the process lives. */
  readonly worthClicks: number;
}

/** Log line of a snapshot that fails. */
export interface SnapshotLog {
  warn(message: string, extra?: object): void;
}

/**
 * The clicks that a statistics process holds, left to the next one, so that the first question after
 * a restart need not read them all again. Restored clicks count as if they had been read: blocks
 * never change, and a question notices clicks that were recorded, compacted or repaired since.
 *
 * It is written at the end of the process, and now and then while it lives, for the case that it is
 * killed. Without one, or with one that is damaged, of another release, or too large for the
 * memory, clicks are read from the database.
 */
export class StatisticsSnapshot {
  private readonly folder: SnapshotFolder;
  private readonly writer: string;
  /** How many clicks of each resident the last snapshot has. */
  private saved: ReadonlyMap<number, number> = new Map();
  /** Taken over, and not to be met again by a process that comes after a crash. */
  private isOnTrial = false;
  private writing: Promise<void> = Promise.resolve();
  private background: Cancellation | null = null;
  /** It is tried at the end once more, and told of then again, not every time. */
  private hasFailed = false;

  constructor(
    private readonly settings: SnapshotSettings,
    private readonly shards: Shards,
    private readonly cache: ResidentCache,
    private readonly log: SnapshotLog,
  ) {
    this.folder = new SnapshotFolder(settings.folder);
    this.writer = `${SNAPSHOT_FORMAT} ${settings.release}`;
  }

  /** At the end of the process. Never fails: without it the next process only starts without one. */
  async save(): Promise<void> {
    this.background?.cancel();
    await this.writing;
    await this.guarded(async () => {
      if (this.cache.entries().length === 0) return this.folder.remove();
      await this.endTrial();
      const isCurrent = this.changed().clicks === 0 && (await this.folder.isFilled());
      if (!isCurrent) await this.begin(null);
    });
    await this.writing;
  }

  /**
   * While the process lives, between two questions: settles soon, and the files are written
   * meanwhile, slowly. Never fails.
   */
  async keep(): Promise<void> {
    if (this.background !== null || this.hasFailed) return;
    await this.guarded(async () => {
      await this.endTrial();
      const { clicks, share } = this.changed();
      if (clicks < this.settings.worthClicks || share < CHANGED_SHARE) return;
      if (this.cache.bytes <= MAX_BACKGROUND_BYTES) await this.begin(new Cancellation());
    });
  }

  /** Settles when nothing is being written. */
  get written(): Promise<void> {
    return this.writing;
  }

  /** Before the first question. Never fails, but may leave the memory empty. */
  async restore(): Promise<void> {
    try {
      const json = await this.folder.takeIndex();
      const index = json === null ? null : (JSON.parse(json) as SnapshotIndex);
      if (index !== null && (await this.takeSegments(index))) {
        await this.folder.removeAllButTaken(index.name);
        this.isOnTrial = true;
        this.saved = this.held();
        return;
      }
    } catch (error) {
      this.log.warn('The clicks saved by the last process are of no use and are read again', {
        reason: reasonOf(error),
      });
    }
    await this.folder.remove().catch(() => undefined);
  }

  /** False when it is of no use here. */
  private async takeSegments({
    writer,
    name,
    shards,
    bytes,
    ...saved
  }: SnapshotIndex): Promise<boolean> {
    if (writer !== this.writer || shards !== this.shards.count) return false;
    if (bytes > this.settings.memoryBytes) return false;
    const entries = saved.residents.map(
      ([key, state], place) => [key, ResidentClicks.restore(place + 1, state)] as const,
    );
    const residents = entries.map(([, { id }]) => id);
    try {
      await this.all((shard) =>
        this.shards.call(shard, 'restore', {
          file: this.folder.fileOf(name, shard),
          ...{ name, residents },
        }),
      );
    } catch (error) {
      for (const resident of residents) {
        await this.all((shard) => this.shards.call(shard, 'drop', { resident }));
      }
      throw error;
    }
    this.cache.adopt(StringInterner.with(saved.labels), entries);
    return true;
  }

  /** Settles when all that is held is noted; `writing` does when it is written. */
  private async begin(background: Cancellation | null): Promise<void> {
    const free = await this.folder.prepare();
    const { bytes } = this.cache;
    if (bytes > free * DISK_SHARE) return;
    const entries = this.cache.entries();
    const name = randomUUID();
    const index: SnapshotIndex = {
      ...{ writer: this.writer, name, shards: this.shards.count, bytes },
      labels: this.cache.interner.labels,
      residents: entries.map(([key, resident]) => [key, resident.state]),
    };
    const held = this.held();
    const json = JSON.stringify(index);
    const residents = entries.map(([, { id }]) => id);
    this.background = background;
    // The shards note what they hold before they hear of anything else.
    const files = this.all((shard) =>
      this.shards.call(shard, 'save', {
        file: this.folder.fileOf(name, shard),
        ...{ name, residents, background: background?.flag ?? null },
      }),
    );
    this.writing = this.guarded(async () => {
      try {
        await files;
        await this.folder.publish(name, json);
        this.saved = held;
      } catch (error) {
        // The one before is as good as it was.
        await this.folder.removeFiles(name, this.shards.count).catch(() => undefined);
        throw error;
      } finally {
        this.background = null;
      }
    });
  }

  private async endTrial(): Promise<void> {
    if (!this.isOnTrial) return;
    this.isOnTrial = false;
    try {
      await this.folder.release();
    } catch (error) {
      // The operator may remove it at any time.
      this.saved = new Map();
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }

  private held(): ReadonlyMap<number, number> {
    return new Map(this.cache.entries().map(([, { id, total }]) => [id, total?.n ?? 0]));
  }

  /** Clicks that the snapshot has not, and those of deleted links that it still has. */
  private changed(): { clicks: number; share: number } {
    let [clicks, all] = [0, 0];
    for (const [id, n] of this.held()) {
      all += n;
      clicks += Math.abs(n - (this.saved.get(id) ?? 0));
    }
    return { clicks, share: all === 0 ? 0 : clicks / all };
  }

  private async guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (error instanceof CancelledError) return;
      this.hasFailed = true;
      this.log.warn('The clicks in memory are not saved: after a restart they are read again', {
        reason: reasonOf(error),
      });
    }
  }

  /** Settles when all have: none works on after a failure of another. */
  private async all(call: (shard: number) => Promise<undefined>): Promise<void> {
    const calls = Array.from({ length: this.shards.count }, (_, shard) => call(shard));
    const failed = (await Promise.allSettled(calls)).find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
