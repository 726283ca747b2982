import { LRUCache } from 'lru-cache';
import { ResidentClicks } from './resident-clicks';
import type { ReadSelection } from '../reading/segment-reader';
import { onAllShards, type Shards } from '../shards/statistics-shard';
import { StringInterner } from '../reading/string-interner';
import { MemoryExceededError } from '../chunk/engine.errors';

/** LRU cache of all clicks in the shards, limited to `limit` bytes. */
export class ResidentCache {
  interner = new StringInterner();
  private readonly residents: LRUCache<string, ResidentClicks>;
  private lastId = 0;
  private readonly dropped: ResidentClicks[] = [];

  constructor(
    private readonly shards: Shards,
    readonly limit: number,
    /** Returns the number of bytes that other users of the limit take up. */
    private readonly others: () => number = () => 0,
  ) {
    this.residents = new LRUCache({
      max: 10_000,
      dispose: (resident) => this.dropped.push(resident),
    });
  }

  get room(): number {
    return this.limit - this.interner.bytes - this.others();
  }

  get bytes(): number {
    let bytes = this.interner.bytes + this.others();
    for (const resident of this.residents.values()) bytes += resident.bytes;
    return bytes;
  }

  get(key: string): ResidentClicks | undefined {
    return this.residents.get(key);
  }

  make(key: string, selection: ReadSelection): ResidentClicks {
    this.lastId += 1;
    const resident = new ResidentClicks(this.lastId, selection, this.shards.count);
    this.residents.set(key, resident);
    return resident;
  }

  drop(key: string): void {
    this.residents.delete(key);
  }

  /** Evicts other entries; throws MemoryExceededError if this entry alone exceeds the limit. */
  async makeRoom(key: string): Promise<void> {
    // Marks this entry as recently used, so that it is not evicted.
    this.residents.get(key);
    while (this.bytes > this.limit && this.residents.size > 1) this.residents.pop();
    await this.release();
    if (this.bytes > this.limit) throw new MemoryExceededError();
  }

  /** Resets if interned values exceed a quarter of the limit. Do not call while counting. */
  async renew(): Promise<void> {
    if (this.interner.bytes > this.limit / 4) {
      this.interner = new StringInterner();
      this.residents.clear();
    }
    await this.release();
  }

  private async release(): Promise<void> {
    for (const { id } of this.dropped.splice(0)) {
      await onAllShards(this.shards, (shard) => this.shards.call(shard, 'drop', { resident: id }));
    }
  }
}
