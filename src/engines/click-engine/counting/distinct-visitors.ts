/** Needs no sets: a visitor's rows are contiguous, so remembering the last visitor is enough. */
export class DistinctVisitors {
  private readonly last: Uint32Array;

  constructor(values: number) {
    this.last = new Uint32Array(values);
  }

  /** @param visitor visitor number, at least 1 */
  isNew(value: number, visitor: number): boolean {
    if (this.last[value] === visitor) return false;
    this.last[value] = visitor;
    return true;
  }
}
