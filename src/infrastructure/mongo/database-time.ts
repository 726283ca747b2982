import type { mongo } from 'mongoose';

/** All machines use the database's clock as their reference. */
export async function databaseTime(db: mongo.Db): Promise<Date> {
  const [answer] = await db
    .aggregate<{ now: Date }>([{ $documents: [{ now: '$$NOW' }] }])
    .toArray();
  if (answer === undefined) throw new Error('The database did not report its time');
  return answer.now;
}

/** If the clock lags by more than this, it was set back. */
const MAX_DATABASE_DRIFT_MS = 1000;
const WATCH_MS = 5000;
/** The clock is no longer watched if `ask` was not called for this long. */
const WATCHED_FOR_MS = 31 * 60_000;

export interface ClockReading {
  readonly now: Date;
  /** How many times the clock has been set back since the process started. */
  readonly falls: number;
}

/** Detects when the database's clock is set back, even if another server becomes primary. */
export class DatabaseClock {
  private falls = 0;
  private last?: { readonly time: number; readonly answeredAt: number };
  private requestedAt = 0;
  private watch?: NodeJS.Timeout;

  /** @param steady returns monotonic time in milliseconds */
  constructor(
    private readonly time: () => Promise<Date>,
    private readonly steady: () => number = () => performance.now(),
  ) {}

  /** Reads the time, and keeps watching the clock until the next call. */
  async ask(): Promise<ClockReading> {
    this.requestedAt = this.steady();
    const reading = await this.read();
    this.watch ??= this.watchLater();
    return reading;
  }

  private async read(): Promise<ClockReading> {
    const begunAt = this.steady();
    const now = await this.time();
    const { last } = this;
    // The readings themselves may be slow, so this is the minimum time between them.
    const passed = last === undefined ? -Infinity : begunAt - last.answeredAt;
    if (last !== undefined && now.getTime() - last.time < passed - MAX_DATABASE_DRIFT_MS)
      this.falls++;
    this.last = { time: now.getTime(), answeredAt: this.steady() };
    return { now, falls: this.falls };
  }

  private watchLater(): NodeJS.Timeout {
    const look = async (): Promise<void> => {
      // If the database is down, callers that need the time retry.
      const isThere = await this.read().then(
        () => true,
        () => false,
      );
      const isWanted = this.steady() - this.requestedAt < WATCHED_FOR_MS;
      this.watch = isThere && isWanted ? this.watchLater() : undefined;
    };
    return setTimeout(() => void look(), WATCH_MS).unref();
  }
}
