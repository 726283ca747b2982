import { LRUCache } from 'lru-cache';
import type { CountedResult } from './statistics-result';

const DEFAULT_BYTES = 16 * 1024 * 1024;
/** Until then an answer is good while the link has been clicked by nobody. */
const FRESH_MS = 5_000;
/** What took so long to count is good for so long, whoever clicks meanwhile. */
const SLOW_MS = 1_000;
const SLOW_FRESH_MS = 10_000;

interface Answer {
  result: CountedResult;
  revision: number;
  at: number;
  tookMs: number;
}

/**
 * Answers of public statistics, which anybody may ask for again and again. Bounded in bytes and
 * seconds. It knows nothing of access: that is decided anew for each request, before the cache.
 */
export class AnswerCache {
  private readonly answers: LRUCache<string, Answer>;

  constructor(
    bytes = DEFAULT_BYTES,
    private readonly now: () => number = Date.now,
  ) {
    this.answers = new LRUCache({ maxSize: bytes, sizeCalculation: bytesOf });
  }

  /** `revision`: the clicks that the link is known to have. */
  get(key: string, revision: number): CountedResult | null {
    const answer = this.answers.get(key);
    if (answer === undefined) return null;
    const age = this.now() - answer.at;
    const fresh = answer.revision === revision && age <= FRESH_MS;
    return fresh || (answer.tookMs >= SLOW_MS && age <= SLOW_FRESH_MS) ? answer.result : null;
  }

  put(key: string, revision: number, result: CountedResult, tookMs: number): void {
    this.answers.set(key, { result, revision, at: this.now(), tookMs });
  }
}

function bytesOf({ result }: Answer, key: string): number {
  let bytes = 500 + key.length * 2;
  for (const { labels } of Object.values(result.breakdowns)) {
    for (const label of labels) bytes += 60 + label.length * 2;
  }
  return bytes;
}
