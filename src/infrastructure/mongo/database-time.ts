import type { mongo } from 'mongoose';

/** The database's own time, which the clocks of all machines are held against. */
export async function databaseTime(db: mongo.Db): Promise<Date> {
  const [answer] = await db
    .aggregate<{ now: Date }>([{ $documents: [{ now: '$$NOW' }] }])
    .toArray();
  if (answer === undefined) throw new Error('The database did not tell its time');
  return answer.now;
}

/** A clock that was seen to go slower than this is one that fell. */
const MAX_DATABASE_DRIFT_MS = 1000;
const WATCH_MS = 5000;
/** So long after the last question nobody is told of a fall any more. */
const WATCHED_FOR_MS = 31 * 60_000;

export interface ClockReading {
  readonly now: Date;
  /**
   * How often the clock has fallen since the process began: what is stamped afterwards may be
   * stamped earlier than what was written before.
   */
  readonly falls: number;
}

/**
 * The database's clock, held against the one of this process that only goes on. A clock falls where
 * it is set, and where another server with a clock of its own becomes the primary.
 */
export class DatabaseClock {
  private falls = 0;
  private last?: { readonly time: number; readonly answeredAt: number };
  private askedAt = 0;
  private watch?: NodeJS.Timeout;

  /** @param steady milliseconds that only grow */
  constructor(
    private readonly time: () => Promise<Date>,
    private readonly steady: () => number = () => performance.now(),
  ) {}

  /** The time; from then on the clock is watched between questions, too. */
  async ask(): Promise<ClockReading> {
    this.askedAt = this.steady();
    const reading = await this.read();
    this.watch ??= this.watchLater();
    return reading;
  }

  private async read(): Promise<ClockReading> {
    const begunAt = this.steady();
    const now = await this.time();
    const { last } = this;
    // Time between the two readings, at least: they may take long themselves.
    const passed = last === undefined ? -Infinity : begunAt - last.answeredAt;
    if (last !== undefined && now.getTime() - last.time < passed - MAX_DATABASE_DRIFT_MS)
      this.falls++;
    this.last = { time: now.getTime(), answeredAt: this.steady() };
    return { now, falls: this.falls };
  }

  private watchLater(): NodeJS.Timeout {
    const look = async (): Promise<void> => {
      // Away as it may be, the database is asked again by whoever needs it.
      const isThere = await this.read().then(
        () => true,
        () => false,
      );
      const isWanted = this.steady() - this.askedAt < WATCHED_FOR_MS;
      this.watch = isThere && isWanted ? this.watchLater() : undefined;
    };
    return setTimeout(() => void look(), WATCH_MS).unref();
  }
}
