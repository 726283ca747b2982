/** Exact without sets: a visitor's rows are contiguous, so the last visitor seen suffices. */
export class DistinctVisitors {
  private readonly last: Uint32Array;

  constructor(values: number) {
    this.last = new Uint32Array(values);
  }

  /** @param visitor a number from 1 */
  isNew(value: number, visitor: number): boolean {
    if (this.last[value] === visitor) return false;
    this.last[value] = visitor;
    return true;
  }
}
