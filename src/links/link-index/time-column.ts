import { NEVER, NO_EXPIRY } from './listed-link';

const WORD = 2 ** 32;
const MAX_STORED = 2 ** 48 - 1;

/** Times in milliseconds, in six bytes each; those before 1970 count as its beginning. */
export class TimeColumn {
  private low: Uint32Array;
  private high: Uint16Array;

  constructor(rows: number) {
    this.low = new Uint32Array(rows);
    this.high = new Uint16Array(rows);
  }

  get byteLength(): number {
    return this.low.byteLength + this.high.byteLength;
  }

  at(row: number): number {
    const stored = (this.high[row] ?? 0) * WORD + (this.low[row] ?? 0);
    if (stored === 0) return NEVER;
    return stored === MAX_STORED ? NO_EXPIRY : stored - 1;
  }

  set(row: number, time: number): void {
    const stored = time === NEVER ? 0 : Math.min(Math.max(time, 0) + 1, MAX_STORED);
    this.low[row] = stored % WORD;
    this.high[row] = Math.floor(stored / WORD);
  }

  widen(rows: number): void {
    const { low, high } = this;
    this.low = new Uint32Array(rows);
    this.high = new Uint16Array(rows);
    this.low.set(low);
    this.high.set(high);
  }
}
