import { LRUCache } from 'lru-cache';
import { keepRows } from './row-filter';
import { type Segment, segmentBytes, constantColumns } from './segment';
import { gather, mergeSegments, toRuns } from './segment-merge';

/** A segment with the key of the block or tail that it holds. */
export interface KeyedSegment {
  key: string;
  segment: Segment;
}

/**
 * Many blocks and tails merged into one segment, which is by far the quickest to count. Each row
 * knows the source it came from, so that sources which compaction has replaced can be left out.
 */
export interface MergedSegment {
  segment: Segment;
  keys: readonly string[];
  /** For each row the position of its key. */
  sources: Uint32Array;
  /** For each key its number of rows. */
  rows: readonly number[];
}

/** Merges segments, and what is alive of an older view, into a new view. */
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

/** The view without the rows of sources that are no longer current; itself when all are. */
export function aliveOf(view: MergedSegment, current: ReadonlySet<string>): MergedSegment {
  const alive = Uint8Array.from(view.keys, (key) => (current.has(key) ? 1 : 0));
  if (!alive.includes(0)) return view;
  const passes = new Uint8Array(view.segment.n);
  for (let row = 0; row < passes.length; row += 1) {
    passes[row] = alive[view.sources[row] ?? 0] ?? 0;
  }
  const places = placesOf(alive);
  return {
    segment: keepRows(view.segment, passes),
    keys: view.keys.filter((_, i) => alive[i] === 1),
    sources: view.sources
      .filter((_, row) => passes[row] === 1)
      .map((source) => places[source] ?? 0),
    rows: view.rows.filter((_, i) => alive[i] === 1),
  };
}

/** New positions of what is alive. */
function placesOf(alive: Uint8Array): Uint32Array {
  const places = new Uint32Array(alive.length);
  let next = 0;
  alive.forEach((lives, i) => {
    places[i] = next;
    next += lives;
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
