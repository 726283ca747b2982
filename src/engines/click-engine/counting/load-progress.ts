interface Load {
  readonly startedAt: number;
  readonly heldBefore: number;
  readonly clicks: number;
  readonly held: () => number;
}

/** Progress of a query that first has to read clicks into memory. */
export class LoadProgress {
  private load: Load | null = null;

  /**
   * @param clicks number of clicks in memory at the end
   * @param held returns the current number
   */
  begin(clicks: number, held: () => number): void {
    this.load = { startedAt: performance.now(), heldBefore: held(), clicks, held };
  }

  /** Time until all are read, at the speed so far; null before the first ones are. */
  get remainingMs(): number | null {
    if (this.load === null) return null;
    const { startedAt, heldBefore, clicks, held } = this.load;
    const read = held() - heldBefore;
    if (read === 0) return null;
    return (Math.max(0, clicks - held()) * (performance.now() - startedAt)) / read;
  }
}
