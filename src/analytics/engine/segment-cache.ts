import { LRUCache } from 'lru-cache';
import { type Segment, segmentBytes } from './segment';
import { StringInterner } from './string-interner';

const DEFAULT_BYTES = 96 * 1024 * 1024;
/**
 * Beyond this the interner starts anew, and all segments with it: a link with more values than
 * fit (about a million) is decoded again for each query.
 */
const INTERNER_BYTES = 160 * 1024 * 1024;

/**
 * Segments in memory by the block or inline chunks they were read from, the least
 * recently used leaving first. They share one interner, which is bounded too: values are typed by strangers.
 */
export class SegmentCache {
  private readonly segments: LRUCache<string, Segment>;
  private strings = new StringInterner();

  constructor(
    capacity = DEFAULT_BYTES,
    private readonly internerBytes = INTERNER_BYTES,
  ) {
    this.segments = new LRUCache({ maxSize: capacity, sizeCalculation: segmentBytes });
  }

  get interner(): StringInterner {
    return this.strings;
  }

  get(key: string): Segment | undefined {
    return this.segments.get(key);
  }

  put(key: string, segment: Segment): void {
    this.segments.set(key, segment);
  }

  drop(key: string): void {
    this.segments.delete(key);
  }

  /** Starts anew when the interner has grown too large; true then. Not while counting. */
  renew(): boolean {
    if (this.strings.bytes <= this.internerBytes) return false;
    this.strings = new StringInterner();
    this.segments.clear();
    return true;
  }
}
