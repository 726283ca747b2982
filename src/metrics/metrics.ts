import type { DurationFigures } from '../infrastructure/meters/meters';
import type { Outcome } from '../infrastructure/meters/redirect-meter';

/** Adds two sets of figures of one shape: numbers, arrays place by place, objects key by key. */
export function sum<T>(a: T, b: T): T {
  if (typeof a === 'number' && typeof b === 'number') return (a + b) as T;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.map((value: unknown, i) => sum(value, b[i] as unknown)) as T;
  }
  const result = { ...a } as Record<string, unknown>;
  for (const [key, value] of Object.entries(b as object)) {
    result[key] = key in result ? sum(result[key], value as unknown) : value;
  }
  return result as T;
}

/** What only rises while a web process lives. */
export interface WebCounters {
  redirects: Record<Outcome, number>;
  redirectDurations: DurationFigures;
  cacheHits: number;
  cacheMisses: number;
  /** Answers 429 by row of the limits table. */
  limited: Record<string, number>;
  databaseDurations: DurationFigures;
  databaseFailures: number;
  /** Redirected visits that could not be kept for the recorder. */
  clicksLost: number;
}

/** How one web process stands, as plain JSON. */
export interface WebMetrics {
  counters: WebCounters;
  residentBytes: number;
  /** Journal lines that the disk has not taken yet. */
  backlogBytes: number;
}

/** What the recorder says of itself and of the journal that waits for it. */
export interface JournalMetrics {
  files: number;
  bytes: number;
  oldestMs: number | null;
  lastBatchSize: number;
  lastBatchMs: number;
  batches: number;
  clicks: number;
  batchMs: number;
}

/** All that one scrape tells of this machine, whichever of its web processes answers. */
export interface MachineMetrics {
  web: WebMetrics[];
  /** Counters of workers that are gone: what was counted stays counted. */
  past: WebCounters | null;
  /** Null while the recorder does not answer. */
  journal: JournalMetrics | null;
}
