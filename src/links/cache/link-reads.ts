import { DatabaseUnavailableError } from '../../common/errors';

/** Maximum wait for a batch to fill up. */
const GATHER_MS = 250;
const READ_PAUSE_MS = 10;
/**
 * Decoding a link takes 12 to 35 µs and blocks the event loop: 32 links delay redirects by 1 ms,
 * 500 links by 10 ms (docs/adr/0023).
 */
const MAX_PER_REFRESH = 32;

/**
 * Reads up to 32 keys at a time, with pauses between reads, so that refreshing thousands of keys
 * does not delay redirects. Reads about 2,500 keys per second.
 */
export class BackgroundReads {
  private readonly due = new Set<string>();
  private scheduled = false;

  /** @param read must not reject */
  constructor(private readonly read: (keys: string[]) => Promise<void>) {}

  add(key: string): void {
    this.due.add(key);
    this.schedule();
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    const pause = this.due.size < MAX_PER_REFRESH ? GATHER_MS : READ_PAUSE_MS;
    setTimeout(() => void this.readSome(), pause).unref();
  }

  private async readSome(): Promise<void> {
    const keys = first(MAX_PER_REFRESH, this.due);
    for (const key of keys) this.due.delete(key);
    await this.read(keys);
    this.scheduled = false;
    if (this.due.size > 0) this.schedule();
  }
}

interface WaitingLookup<T> {
  resolve: (value: T | null) => void;
  reject: (error: unknown) => void;
}

/** MongoDB returns up to 101 documents in the first batch. */
const MAX_PER_READ = 100;
const MAX_READS = 2;
const MAX_WAITING_KEYS = 20_000;

/**
 * Runs at most two reads at a time, so that a flood of unknown aliases fills neither memory nor the
 * database queue. Lookups for the same key share a read. With 20,000 keys waiting, another lookup
 * fails immediately with 503.
 */
export class BatchedReads<T> {
  private readonly waiting = new Map<string, WaitingLookup<T>[]>();
  private reading = 0;

  constructor(private readonly read: (keys: string[]) => Promise<Map<string, T>>) {}

  find(key: string): Promise<T | null> {
    return new Promise((resolve, reject) => {
      const waiters = this.waiting.get(key);
      if (waiters !== undefined) {
        waiters.push({ resolve, reject });
        return;
      }
      if (this.waiting.size >= MAX_WAITING_KEYS) {
        reject(new DatabaseUnavailableError());
        return;
      }
      this.waiting.set(key, [{ resolve, reject }]);
      // Deferred, so that simultaneous lookups share a read.
      if (this.waiting.size === 1) setImmediate(() => this.pump());
    });
  }

  private pump(): void {
    while (this.waiting.size > 0 && this.reading < MAX_READS) void this.readSome();
  }

  private async readSome(): Promise<void> {
    const batch = first(MAX_PER_READ, this.waiting);
    for (const [key] of batch) this.waiting.delete(key);
    this.reading++;
    try {
      const found = await this.read(batch.map(([key]) => key));
      for (const [key, waiters] of batch) waiters.forEach((w) => w.resolve(found.get(key) ?? null));
    } catch (error) {
      for (const [, waiters] of batch) waiters.forEach((w) => w.reject(error));
    } finally {
      this.reading--;
      this.pump();
    }
  }
}

function first<T>(most: number, among: Iterable<T>): T[] {
  const found: T[] = [];
  for (const item of among) {
    if (found.push(item) === most) break;
  }
  return found;
}
