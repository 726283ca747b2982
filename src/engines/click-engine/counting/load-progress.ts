interface Load {
  readonly startedAt: number;
  readonly heldBefore: number;
  readonly clicks: number;
  readonly held: () => number;
}

/** Progress for a query that is reading clicks into memory. */
export class LoadProgress {
  private load: Load | null = null;

  /**
   * @param clicks number of clicks in memory when reading has finished
   * @param held returns the number of clicks in memory
   */
  begin(clicks: number, held: () => number): void {
    this.load = { startedAt: performance.now(), heldBefore: held(), clicks, held };
  }

  /** Estimated time until reading finishes; null before the first clicks are read. */
  get remainingMs(): number | null {
    if (this.load === null) return null;
    const { startedAt, heldBefore, clicks, held } = this.load;
    const read = held() - heldBefore;
    if (read === 0) return null;
    return (Math.max(0, clicks - held()) * (performance.now() - startedAt)) / read;
  }
}
