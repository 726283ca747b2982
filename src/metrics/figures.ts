import type { DurationFigures } from '../platform/meters/durations';
import type { Outcome } from '../platform/meters/redirect-meter';

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

/** Question of a web process to the primary, with its own WebFigures; answered MachineFigures. */
export const MACHINE_TOPIC = 'metrics.machine';
/** Question of the primary to its workers, answered WebFigures. */
export const WEB_TOPIC = 'metrics.web';
