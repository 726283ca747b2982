/** Lets at most `width` tasks run at once; the others wait for their turn, first come first. */
export class Turns {
  private readonly waiting: (() => void)[] = [];
  private running = 0;

  constructor(private readonly width: number) {}

  async take<T>(task: () => Promise<T>): Promise<T> {
    if (this.running >= this.width) {
      // Who ends hands the place on, so that nobody slips in between.
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    } else this.running++;
    try {
      return await task();
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.running--;
      else next();
    }
  }
}
