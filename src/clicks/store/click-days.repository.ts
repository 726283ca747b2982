import type { mongo } from 'mongoose';
import { isDuplicateKey } from '../../common/database-fault';
import { DAY_MS } from '../../common/time';
import { collectWriteErrors } from '../../infrastructure/mongo/bulk-write';
import { CLICK_STORES } from './click-store.schema';

const SETTINGS_COLLECTION = 'settings';
const CLICK_DAYS_SINCE = 'click_days_since';
/** Marks an installation that has counted all days since its first click. */
const EVER = new Date(0);

interface ClickDay {
  /** Start of the day in UTC. */
  _id: Date;
  n: number;
  /** For each node, the last batch number that `n` includes. */
  marks: Record<string, number>;
}

interface SinceRecord {
  _id: string;
  value: Date;
}

export interface BatchDays {
  readonly node: string;
  readonly number: number;
  readonly days: ReadonlyMap<number, number>;
}

/** Counts clicks per day as they are recorded; reading all stores is slow. Keeps deleted links. */
export class ClickDaysRepository {
  constructor(private readonly database: { readonly db: mongo.Db | undefined }) {}

  /** Call before the first batch, so that every day from now on is complete. */
  async begin(now: Date): Promise<void> {
    if ((await this.since()) !== null) return;
    const hasClicks = await this.collection(CLICK_STORES).findOne({}, { projection: { _id: 1 } });
    try {
      const value = { $setOnInsert: { value: hasClicks === null ? EVER : now } };
      await this.settings.updateOne({ _id: CLICK_DAYS_SINCE }, value, { upsert: true });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
  }

  /** A repeated batch changes nothing. */
  async add({ node, number, days }: BatchDays): Promise<void> {
    if (days.size === 0) return;
    const mark = `marks.${node}`;
    const writes = [...days].map(([day, n]) => ({
      updateOne: {
        filter: { _id: new Date(day), [mark]: { $not: { $gte: number } } },
        update: { $inc: { n }, $set: { [mark]: number } },
        upsert: true,
      },
    }));
    const errors = await collectWriteErrors(this.days.bulkWrite(writes, { ordered: false }));
    // If the day already includes the batch, the upsert fails with a duplicate key.
    const fault = errors.find((error) => !isDuplicateKey(error));
    if (fault !== undefined) throw fault;
  }

  /** Returns the number of clicks since this day; null if some of the days were not counted. */
  async sumSince(day: Date): Promise<number | null> {
    const since = await this.since();
    if (since === null || since > day) return null;
    const found = await this.days.find({ _id: { $gte: day } }, { projection: { n: 1 } }).toArray();
    return found.reduce((sum, { n }) => sum + n, 0);
  }

  private async since(): Promise<Date | null> {
    return (await this.settings.findOne({ _id: CLICK_DAYS_SINCE }))?.value ?? null;
  }

  private get days(): mongo.Collection<ClickDay> {
    return this.collection<ClickDay>('click_days');
  }

  private get settings(): mongo.Collection<SinceRecord> {
    return this.collection<SinceRecord>(SETTINGS_COLLECTION);
  }

  private collection<T extends object>(name: string): mongo.Collection<T> {
    const { db } = this.database;
    if (db === undefined) throw new Error('The connection is not open');
    return db.collection<T>(name);
  }
}

/** Returns the number of clicks by start of day, for the days that overviews show. */
export function recentDays(times: readonly number[], now = Date.now()): Map<number, number> {
  const [first, last] = [dayStart(now) - 6 * DAY_MS, dayStart(now)];
  const days = new Map<number, number>();
  for (const day of times.map(dayStart)) {
    if (day >= first && day <= last) days.set(day, (days.get(day) ?? 0) + 1);
  }
  return days;
}

export function dayStart(at: number): number {
  return Math.floor(at / DAY_MS) * DAY_MS;
}
