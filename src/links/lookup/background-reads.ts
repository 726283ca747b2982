const EVERY_MS = 250;
const MOST_PER_REFRESH = 500;

/**
 * Reads that nobody waits for, gathered: one at a time, each for up to 500 keys, with a pause
 * before each, so that thousands of keys that fall due together cost few reads and no burst.
 */
export class BackgroundReads {
  private readonly due = new Set<string>();
  private scheduled = false;

  /** `read` never rejects. */
  constructor(private readonly read: (keys: string[]) => Promise<void>) {}

  add(key: string): void {
    this.due.add(key);
    this.schedule();
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setTimeout(() => void this.readSome(), EVERY_MS).unref();
  }

  private async readSome(): Promise<void> {
    const keys = [...this.due].slice(0, MOST_PER_REFRESH);
    for (const key of keys) this.due.delete(key);
    await this.read(keys);
    this.scheduled = false;
    if (this.due.size > 0) this.schedule();
  }
}
