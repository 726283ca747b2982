/** Reproducible pseudo-random choices (mulberry32). */
export class SeededRandom {
  constructor(private state: number) {}

  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
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

  shuffle(elements: unknown[]): void {
    for (let i = elements.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      [elements[i], elements[j]] = [elements[j], elements[i]];
    }
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)));
  }
}
