import { LRUCache } from 'lru-cache';
import type { StatisticsResult } from '../../engines/click-engine/query/statistics-query';

const DEFAULT_BYTES = 8 * 1024 * 1024;
const ANSWER_OVERHEAD_BYTES = 500;
/** Lifetime of a result while the link has no new clicks. */
const FRESH_MS = 5_000;
/** Slower results stay valid for SLOW_ANSWER_FRESH_MS, even if the link has new clicks. */
const SLOW_ANSWER_MS = 1_000;
const SLOW_ANSWER_FRESH_MS = 10_000;

interface CachedAnswer<T> {
  answer: T;
  revision: number;
  at: number;
  tookMs: number;
}

/** Caches public statistics, bounded by size and age. Callers check access first. */
export class AnswerCache<T> {
  private readonly answers: LRUCache<string, CachedAnswer<T>>;

  constructor(
    bytesOf: (answer: T) => number,
    bytes = DEFAULT_BYTES,
    private readonly now: () => number = Date.now,
  ) {
    this.answers = new LRUCache({
      maxSize: bytes,
      sizeCalculation: ({ answer }, key) =>
        ANSWER_OVERHEAD_BYTES + key.length * 2 + bytesOf(answer),
    });
  }

  get(key: string, revision: number): T | null {
    const kept = this.answers.get(key);
    if (kept === undefined) return null;
    const age = this.now() - kept.at;
    const fresh = kept.revision === revision && age <= FRESH_MS;
    return fresh || (kept.tookMs >= SLOW_ANSWER_MS && age <= SLOW_ANSWER_FRESH_MS)
      ? kept.answer
      : null;
  }

  put(key: string, revision: number, answer: T, tookMs: number): void {
    this.answers.set(key, { answer, revision, at: this.now(), tookMs });
  }
}

export function bytesOfRows({ breakdowns }: StatisticsResult): number {
  let bytes = 0;
  for (const { labels } of Object.values(breakdowns)) {
    for (const label of labels) bytes += 60 + label.length * 2;
  }
  return bytes;
}
