import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { CountsSum } from './counts-sum';
import { ImportedCountsRepository } from './imported-counts.repository';

const CACHE_BYTES = 32 * 1024 * 1024;
/** Maximum age of a cached sum, because a process may be killed before it stores a revision. */
const SUM_MAX_AGE_MS = 10 * 60_000;
/** A sum that took longer than this is cached for SLOW_FRESH_MS even if counts change. */
const SLOW_MS = 500;
const SLOW_FRESH_MS = 10_000;

interface TakenSum {
  readonly sum: CountsSum;
  readonly revision: number;
  readonly at: number;
  readonly tookMs: number;
}

/** Caches sums by revision; concurrent requests for an account share one computation. */
@Injectable()
export class AccountCounts {
  private readonly sums = new LRUCache<string, TakenSum>({
    maxSize: CACHE_BYTES,
    ttl: SUM_MAX_AGE_MS,
    sizeCalculation: ({ sum }) => sum.bytes,
  });
  private readonly underWay = new Map<string, Promise<TakenSum>>();

  constructor(private readonly counts: ImportedCountsRepository) {}

  async findSum(ownerId: string): Promise<CountsSum | null> {
    const revisions = await this.counts.findRevisions(ownerId);
    if (revisions === null) return null;
    const { sum } = await this.current(ownerId, revisions);
    return sum.isEmpty ? null : sum;
  }

  private async current(
    ownerId: string,
    { revision, floor }: { readonly revision: number; readonly floor: number },
  ): Promise<TakenSum> {
    const known = this.sums.get(ownerId);
    const isGood =
      known?.revision === revision ||
      (known !== undefined &&
        known.revision >= floor &&
        known.tookMs >= SLOW_MS &&
        Date.now() - known.at <= SLOW_FRESH_MS);
    if (isGood) return known;
    const running = this.underWay.get(ownerId);
    if (running !== undefined) {
      const done = await running;
      return done.revision === revision ? done : this.current(ownerId, { revision, floor });
    }
    const taken = this.takeSum(ownerId, revision).finally(() => this.underWay.delete(ownerId));
    this.underWay.set(ownerId, taken);
    return taken;
  }

  private async takeSum(ownerId: string, revision: number): Promise<TakenSum> {
    const began = Date.now();
    const sum = new CountsSum();
    await this.counts.addAccount(sum, ownerId);
    const at = Date.now();
    const taken = { sum, revision, at, tookMs: at - began };
    this.sums.set(ownerId, taken);
    return taken;
  }
}
