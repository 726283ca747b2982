interface Load {
  readonly startedAt: number;
  readonly heldBefore: number;
  readonly clicks: number;
  readonly held: () => number;
}

const NO_LOAD: Load = { startedAt: 0, heldBefore: 0, clicks: 0, held: () => 0 };

/** Reading clicks takes several times as long as reading the list of their chunks. */
const CLICKS_TO_STORES = 4;

/** Progress for a query that is reading clicks into memory. */
export class LoadProgress {
  private load: Load | null = null;
  private startedAt = performance.now();
  private storesLeft = 0;
  private storesRead = 0;

  beginStores(count: number): void {
    this.startedAt = performance.now();
    this.storesLeft = count;
    this.storesRead = 0;
  }

  addStores(count: number): void {
    this.storesRead += count;
    this.storesLeft -= count;
  }

  /**
   * @param clicks number of clicks in memory when reading has finished
   * @param held returns the number of clicks in memory
   */
  begin(clicks: number, held: () => number): void {
    this.load = { startedAt: performance.now(), heldBefore: held(), clicks, held };
  }

  /** Estimated time until reading finishes. */
  get remainingMs(): number {
    const now = performance.now();
    const { startedAt, heldBefore, clicks, held } = this.load ?? NO_LOAD;
    const read = held() - heldBefore;
    if (read > 0) return (Math.max(0, clicks - held()) * (now - startedAt)) / read;
    // Before the first store is read, the rest takes at least as long as the query has taken.
    const { storesRead, storesLeft } = this;
    const elapsed = now - this.startedAt;
    if (storesRead === 0) return elapsed;
    return elapsed * (storesLeft / storesRead + CLICKS_TO_STORES * (1 + storesLeft / storesRead));
  }
}
