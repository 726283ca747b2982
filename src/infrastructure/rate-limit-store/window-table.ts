import { createHash, randomBytes } from 'node:crypto';

const WAYS = 16;

/** A key's bucket, and 64 more bits that identify the key. */
export interface WindowSlot {
  readonly bucket: number;
  readonly high: number;
  readonly low: number;
}

export interface OpenWindow {
  readonly count: number;
  readonly endsAt: number;
}

/**
 * Stores windows in fixed memory outside the JavaScript heap: 24 bytes each, in buckets of 16
 * slots, at constant cost. Ended windows are free slots.
 *
 * In a full bucket, a new key replaces the window with the smallest used share, or on a tie the
 * earliest end. A flood of new keys thus replaces its own windows and leaves windows that block a
 * client. New keys are never refused, because a full table would then refuse all clients. A secret
 * per process prevents clients from choosing keys in the same bucket.
 */
export class WindowTable {
  private readonly secret = randomBytes(16);
  private readonly buckets: number;
  private readonly tags: Uint32Array;
  private readonly ends: Float64Array;
  private readonly counts: Uint32Array;
  private readonly limits: Uint32Array;

  /** @param capacity maximum number of windows, a multiple of 16 */
  constructor(private readonly capacity: number) {
    this.buckets = capacity / WAYS;
    this.tags = new Uint32Array(2 * capacity);
    this.ends = new Float64Array(capacity);
    this.counts = new Uint32Array(capacity);
    this.limits = new Uint32Array(capacity);
  }

  placeFromKey(key: string): WindowSlot {
    const digest = createHash('sha256').update(this.secret).update(key).digest();
    return {
      bucket: digest.readUInt32LE(0) % this.buckets,
      high: digest.readUInt32LE(4),
      low: digest.readUInt32LE(8),
    };
  }

  /** Returns the window in a slot even if the window has ended; null if the slot is empty. */
  read(place: WindowSlot): OpenWindow | null {
    const slot = this.findSlot(place);
    return slot === -1 ? null : { count: this.counts[slot] ?? 0, endsAt: this.ends[slot] ?? 0 };
  }

  write(place: WindowSlot, window: OpenWindow, limit: number, now: number): void {
    const known = this.findSlot(place);
    const slot = known === -1 ? this.slotToUse(place.bucket, now) : known;
    this.tags[2 * slot] = place.high;
    this.tags[2 * slot + 1] = place.low;
    this.ends[slot] = window.endsAt;
    this.counts[slot] = window.count;
    this.limits[slot] = limit;
  }

  /** Counts the windows that have not ended, in linear time. */
  open(now: number): number {
    return this.ends.reduce((sum, end) => sum + (end > now ? 1 : 0), 0);
  }

  get bytes(): number {
    const parts = [this.tags, this.ends, this.counts, this.limits];
    return parts.reduce((sum, part) => sum + part.byteLength, 0);
  }

  private findSlot({ bucket, high, low }: WindowSlot): number {
    const first = bucket * WAYS;
    for (let slot = first; slot < first + WAYS; slot++) {
      if (this.tags[2 * slot] === high && this.tags[2 * slot + 1] === low) return slot;
    }
    return -1;
  }

  private slotToUse(bucket: number, now: number): number {
    const first = bucket * WAYS;
    let [best, bestShare, bestEnd] = [first, Infinity, Infinity];
    for (let slot = first; slot < first + WAYS; slot++) {
      const end = this.ends[slot] ?? 0;
      if (end <= now) return slot;
      const share = (this.counts[slot] ?? 0) / (this.limits[slot] ?? 1);
      if (share < bestShare || (share === bestShare && end < bestEnd)) {
        [best, bestShare, bestEnd] = [slot, share, end];
      }
    }
    return best;
  }
}
