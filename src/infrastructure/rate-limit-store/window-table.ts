import { createHash, randomBytes } from 'node:crypto';

/** Slots that a key may lie in. */
const WAYS = 16;

/** Where the window of a key lies, if it is there: its bucket, and 64 more bits that tell it apart. */
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
 * Windows in a fixed amount of memory: 24 bytes each, outside the JavaScript heap, in buckets of
 * 16 slots. Nothing grows, nothing is swept and every step takes the same short time, however many
 * keys somebody invents. An ended window's slot is free.
 *
 * A key that finds its bucket full takes the slot of the window of which the smallest share is
 * used, of equals the one that ends soonest. So a flood of fresh keys pushes out fresh keys, and
 * windows that hold somebody back stay. A new key is never refused: that would turn a full table
 * into a way to lock everybody out.
 *
 * The bucket depends on a secret of the process: nobody can choose keys that meet in one.
 */
export class WindowTable {
  private readonly secret = randomBytes(16);
  private readonly buckets: number;
  private readonly tags: Uint32Array;
  private readonly ends: Float64Array;
  private readonly counts: Uint32Array;
  private readonly limits: Uint32Array;

  /** @param capacity windows held at most, a multiple of 16 */
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

  /** The window at a place, ended or not; null when there is none. */
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

  /** Number of windows that have not ended, counted one by one. */
  open(now: number): number {
    return this.ends.reduce((sum, end) => sum + (end > now ? 1 : 0), 0);
  }

  /** Bytes of memory, full or empty. */
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
