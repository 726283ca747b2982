/**
 * Tells whether a visitor has met a value before. Visitors come one after the other, all their rows
 * together: a value has met the visitor before exactly when it was the last one it met. No sets, no
 * estimates.
 */
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
