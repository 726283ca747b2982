import { NEVER, NO_EXPIRY } from './listed-link';

const UINT32_RANGE = 2 ** 32;
const MAX_STORED = 2 ** 48 - 1;

/** Stores times, or counts, from 0 in six bytes each. Allocates nothing while all rows have the default. */
export class TimeColumn {
  private low = new Uint32Array(0);
  private high = new Uint16Array(0);

  constructor(
    private rows: number,
    private readonly usual = NEVER,
  ) {}

  get byteLength(): number {
    return this.low.byteLength + this.high.byteLength;
  }

  at(row: number): number {
    if (this.low.length === 0) return this.usual;
    const stored = (this.high[row] ?? 0) * UINT32_RANGE + (this.low[row] ?? 0);
    if (stored === 0) return NEVER;
    return stored === MAX_STORED ? NO_EXPIRY : stored - 1;
  }

  set(row: number, time: number): void {
    if (this.low.length === 0) {
      if (time === this.usual) return;
      this.low = new Uint32Array(this.rows);
      this.high = new Uint16Array(this.rows);
      for (let index = 0; index < this.rows; index++) this.store(index, this.usual);
    }
    this.store(row, time);
  }

  widen(rows: number): void {
    const { low, high } = this;
    this.rows = rows;
    if (low.length === 0) return;
    this.low = new Uint32Array(rows);
    this.high = new Uint16Array(rows);
    this.low.set(low);
    this.high.set(high);
    for (let row = low.length; row < rows; row++) this.store(row, this.usual);
  }

  private store(row: number, time: number): void {
    const stored = time === NEVER ? 0 : Math.min(Math.max(time, 0) + 1, MAX_STORED);
    // Storing a number in an array drops the other bits.
    this.low[row] = stored;
    this.high[row] = stored / UINT32_RANGE;
  }
}
