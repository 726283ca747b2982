import { LRUCache } from 'lru-cache';
import { keepRows } from './row-filter';
import { type Segment, segmentBytes, constantColumns } from './segment';
import { gather, mergeSegments, toRuns } from './segment-merge';

/** A segment with the key of the block or inline chunks that it holds. */
export interface KeyedSegment {
  key: string;
  segment: Segment;
}

/**
 * Many blocks and inline chunks merged into one segment, which is by far the quickest to
 * count. Each row knows the source it came from, so that sources which compaction has replaced can be
 * left out.
 */
export interface MergedSegment {
  segment: Segment;
  keys: readonly string[];
  /** For each row the position of its key. */
  sources: Uint32Array;
  /** For each key its number of rows. */
  rows: readonly number[];
}

/** Merges segments, and what is current of an older merged segment, into a new one. */
export function mergeIntoSegment(
  parts: readonly KeyedSegment[],
  older: MergedSegment | null,
): MergedSegment {
  const keys = [...(older?.keys ?? []), ...parts.map(({ key }) => key)];
  const segments = [...(older === null ? [] : [older.segment]), ...parts.map((p) => p.segment)];
  const before = older?.keys.length ?? 0;
  const sources = [
    ...(older === null ? [] : [older.sources]),
    ...parts.map(({ segment }, i) => new Uint32Array(segment.n).fill(before + i)),
  ];
  const merged = mergeSegments(segments);
  const segment = { ...merged, constantPerVisitor: constantColumns(merged) };
  return {
    segment,
    keys,
    sources: gather(toRuns(segments), new Uint32Array(segment.n), sources),
    rows: [...(older?.rows ?? []), ...parts.map((part) => part.segment.n)],
  };
}

/** Without the rows of sources that are no longer current; the same when all are. */
export function withoutReplaced(
  merged: MergedSegment,
  current: ReadonlySet<string>,
): MergedSegment {
  const isCurrent = Uint8Array.from(merged.keys, (key) => (current.has(key) ? 1 : 0));
  if (!isCurrent.includes(0)) return merged;
  const passes = new Uint8Array(merged.segment.n);
  for (let row = 0; row < passes.length; row += 1) {
    passes[row] = isCurrent[merged.sources[row] ?? 0] ?? 0;
  }
  const places = placesOf(isCurrent);
  return {
    segment: keepRows(merged.segment, passes),
    keys: merged.keys.filter((_, i) => isCurrent[i] === 1),
    sources: merged.sources
      .filter((_, row) => passes[row] === 1)
      .map((source) => places[source] ?? 0),
    rows: merged.rows.filter((_, i) => isCurrent[i] === 1),
  };
}

/** New positions of what stays. */
function placesOf(isCurrent: Uint8Array): Uint32Array {
  const places = new Uint32Array(isCurrent.length);
  let next = 0;
  isCurrent.forEach((flag, i) => {
    places[i] = next;
    next += flag;
  });
  return places;
}

const DEFAULT_BYTES = 192 * 1024 * 1024;

/** Merged segments in memory by what they are of, the least recently used leaving first. */
export class MergedSegmentCache extends LRUCache<string, MergedSegment> {
  constructor(capacity = DEFAULT_BYTES) {
    super({ maxSize: capacity, sizeCalculation: mergedSegmentBytes });
  }
}

function mergedSegmentBytes({ segment, sources, keys }: MergedSegment): number {
  return segmentBytes(segment) + sources.byteLength + keys.length * 100;
}
