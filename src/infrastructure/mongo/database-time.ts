import type { mongo } from 'mongoose';

/** The reference for the clocks of all machines. */
export async function databaseTime(db: mongo.Db): Promise<Date> {
  const [answer] = await db
    .aggregate<{ now: Date }>([{ $documents: [{ now: '$$NOW' }] }])
    .toArray();
  if (answer === undefined) throw new Error('The database did not report its time');
  return answer.now;
}

/** A clock that lags more than this was set back. */
const MAX_DATABASE_DRIFT_MS = 1000;
const WATCH_MS = 5000;
/** Watching stops this long after the last `ask`. */
const WATCHED_FOR_MS = 31 * 60_000;

export interface ClockReading {
  readonly now: Date;
  /** Set-backs since the process began: later timestamps may precede earlier ones. */
  readonly falls: number;
}

/** Detects set-backs of the database's clock, also when another server becomes primary. */
export class DatabaseClock {
  private falls = 0;
  private last?: { readonly time: number; readonly answeredAt: number };
  private requestedAt = 0;
  private watch?: NodeJS.Timeout;

  /** @param steady monotonic milliseconds */
  constructor(
    private readonly time: () => Promise<Date>,
    private readonly steady: () => number = () => performance.now(),
  ) {}

  /** Reads the time and keeps watching the clock between calls. */
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
    // The minimum time between the two readings, which may be slow themselves.
    const passed = last === undefined ? -Infinity : begunAt - last.answeredAt;
    if (last !== undefined && now.getTime() - last.time < passed - MAX_DATABASE_DRIFT_MS)
      this.falls++;
    this.last = { time: now.getTime(), answeredAt: this.steady() };
    return { now, falls: this.falls };
  }

  private watchLater(): NodeJS.Timeout {
    const look = async (): Promise<void> => {
      // If the database is down, callers that need it retry.
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
