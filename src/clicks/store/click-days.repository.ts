import type { mongo } from 'mongoose';
import { isDuplicateKey } from '../../common/database-fault';
import { DAY_MS } from '../../common/time';
import { collectWriteErrors } from '../../infrastructure/mongo/bulk-write';
import { CLICK_STORES } from './click-store.schema';

const SETTINGS_COLLECTION = 'settings';
const CLICK_DAYS_SINCE = 'click_days_since';
/** For an installation that has never recorded a click without counting its day. */
const EVER = new Date(0);

interface ClickDay {
  /** Begin of the day, UTC. */
  _id: Date;
  n: number;
  /** Number of the last batch of each node that is in `n`. */
  marks: Record<string, number>;
}

interface SinceRecord {
  _id: string;
  value: Date;
}

/** Clicks of one batch by the begin of their day. */
export interface BatchDays {
  readonly node: string;
  readonly number: number;
  readonly days: ReadonlyMap<number, number>;
}

/**
 * Clicks of the whole service by day (collection `click_days`), counted while they are recorded:
 * nobody could read the click stores of a million links for a figure on a page. Clicks of links
 * that are deleted later stay counted.
 */
export class ClickDaysRepository {
  constructor(private readonly database: { readonly db: mongo.Db | undefined }) {}

  /** To be called before the first batch: from then on each day is whole. */
  async begin(now: Date): Promise<void> {
    if ((await this.since()) !== null) return;
    const hasClicks = await this.collection(CLICK_STORES).findOne({}, { projection: { _id: 1 } });
    try {
      const value = { $setOnInsert: { value: hasClicks === null ? EVER : now } };
      await this.settings.updateOne({ _id: CLICK_DAYS_SINCE }, value, { upsert: true });
    } catch (error) {
      // Another machine was quicker.
      if (!isDuplicateKey(error)) throw error;
    }
  }

  /** Adds the clicks of a batch; one that was added before, before a crash, changes nothing. */
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
    // A day that has the batch is not found by the filter, and there already.
    const fault = errors.find((error) => !isDuplicateKey(error));
    if (fault !== undefined) throw fault;
  }

  /** Clicks of the days from that one on; null where some of them were not counted. */
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

/** Begin of the day of a time, UTC. */
export function dayStart(at: number): number {
  return Math.floor(at / DAY_MS) * DAY_MS;
}
