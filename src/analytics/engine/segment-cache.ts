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
  private segments = new Map<string, Segment>();
  private words = new StringInterner();
  private bytes = 0;

  constructor(
    private readonly capacity = DEFAULT_BYTES,
    private readonly vocabularyBytes = VOCABULARY_BYTES,
  ) {}

  get vocabulary(): StringInterner {
    return this.words;
  }

  get(key: string): Segment | undefined {
    const segment = this.segments.get(key);
    if (segment !== undefined) {
      this.segments.delete(key);
      this.segments.set(key, segment);
    }
    return segment;
  }

  put(key: string, segment: Segment): void {
    this.drop(key);
    this.segments.set(key, segment);
    this.bytes += segmentBytes(segment);
    for (const oldest of this.segments.keys()) {
      if (this.bytes <= this.capacity || oldest === key) break;
      this.drop(oldest);
    }
  }

  drop(key: string): void {
    const segment = this.segments.get(key);
    if (segment === undefined) return;
    this.segments.delete(key);
    this.bytes -= segmentBytes(segment);
  }

  /** Starts anew when the vocabulary has grown too large; true then. Not while counting. */
  renew(): boolean {
    if (this.words.bytes <= this.vocabularyBytes) return false;
    this.words = new StringInterner();
    this.segments.clear();
    this.bytes = 0;
    return true;
  }
}
