/** Consecutive rows of one segment that belong to one visitor, visitors in ascending order. */
export interface Runs {
  readonly count: number;
  readonly segment: Uint32Array;
  readonly start: Uint32Array;
  readonly end: Uint32Array;
  /** Number of the visitor, from 1; equal visitors are neighbours and share it. */
  readonly visitor: Uint32Array;
}

/**
 * Clicks and distinct visitors by value number. Since all rows of a visitor come together, a value
 * has met the visitor before exactly when it was the last one it met: no sets, no estimates.
 */
export class DimensionCounter {
  clicks: Uint32Array;
  visitors: Uint32Array;
  private lastVisitor: Uint32Array;

  constructor(size: number) {
    this.clicks = new Uint32Array(size);
    this.visitors = new Uint32Array(size);
    this.lastVisitor = new Uint32Array(size);
  }

  /**
   * Counts the rows of all runs. `columns` gives each segment's value numbers, `constantPerVisitor` says
   * where all rows of a visitor have the same one.
   */
  add(
    runs: Runs,
    columns: readonly Uint32Array[],
    constantPerVisitor: readonly boolean[] = [],
  ): void {
    const { clicks, visitors, lastVisitor } = this;
    for (let run = 0; run < runs.count; run += 1) {
      const column = columns[runs.segment[run] ?? 0];
      if (column === undefined) throw new RangeError('A run without a column');
      const end = runs.end[run] ?? 0;
      const visitor = runs.visitor[run] ?? 0;
      let row = runs.start[run] ?? 0;
      // A visitor with one value is counted by the last row alone, with the weight of all.
      const weight = constantPerVisitor[runs.segment[run] ?? 0] === true ? end - row : 1;
      for (row += weight - 1; row < end; row += weight) {
        const value = column[row] ?? 0;
        clicks[value] = (clicks[value] ?? 0) + weight;
        if (lastVisitor[value] !== visitor) {
          lastVisitor[value] = visitor;
          visitors[value] = (visitors[value] ?? 0) + 1;
        }
      }
    }
  }

  /** Makes room for values that were met since the counter was made. */
  reserve(size: number): void {
    if (size <= this.clicks.length) return;
    const grown = (from: Uint32Array): Uint32Array => {
      const into = new Uint32Array(size);
      into.set(from);
      return into;
    };
    this.clicks = grown(this.clicks);
    this.visitors = grown(this.visitors);
    this.lastVisitor = grown(this.lastVisitor);
  }
}
