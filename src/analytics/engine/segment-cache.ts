import { LRUCache } from 'lru-cache';
import { type Segment, segmentBytes } from './segment';
import { StringInterner } from './string-interner';

const DEFAULT_BYTES = 96 * 1024 * 1024;
/**
 * Beyond this the vocabulary starts anew, and all segments with it: a link with more values than
 * fit (about a million) is decoded again for each question.
 */
const VOCABULARY_BYTES = 160 * 1024 * 1024;

/**
 * Segments in memory by the block or tail they were read from, the least recently used leaving
 * first. They share one vocabulary, which is bounded too: values are typed by strangers.
 */
export class SegmentCache {
  private readonly segments: LRUCache<string, Segment>;
  private words = new StringInterner();

  constructor(
    capacity = DEFAULT_BYTES,
    private readonly vocabularyBytes = VOCABULARY_BYTES,
  ) {
    this.segments = new LRUCache({ maxSize: capacity, sizeCalculation: segmentBytes });
  }

  get vocabulary(): StringInterner {
    return this.words;
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

  /** Starts anew when the vocabulary has grown too large; true then. Not while counting. */
  renew(): boolean {
    if (this.words.bytes <= this.vocabularyBytes) return false;
    this.words = new StringInterner();
    this.segments.clear();
    return true;
  }
}
