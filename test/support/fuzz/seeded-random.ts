/** Pseudo-random choices that a seed repeats (mulberry32). */
export class SeededRandom {
  constructor(private state: number) {}

  /** At least 0, below 1. */
  roll(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(limit: number): number {
    return Math.floor(this.roll() * limit);
  }

  chance(share: number): boolean {
    return this.roll() < share;
  }

  of<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)]!;
  }

  /** Puts the elements into another order, in place. */
  shuffle(elements: unknown[]): void {
    for (let i = elements.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      [elements[i], elements[j]] = [elements[j], elements[i]];
    }
  }

  /** Bytes of any value, most of which are no UTF-8. */
  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)));
  }
}
