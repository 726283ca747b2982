import type { mongo } from 'mongoose';
import { CLICK_STORES, type StoredClickStore } from './click-store.schema';

/** Where the clicks of a database are kept. */
export type ClickHome = 'mongodb' | 'clickhouse';

const SETTINGS = 'settings';
const CLICK_HOME = 'click_home';

interface HomeRecord {
  _id: string;
  value: ClickHome;
}

/** Clicks are kept elsewhere than this service is told: neither half of them would be counted right. */
export class ClicksElsewhereError extends Error {
  constructor(home: ClickHome) {
    super(
      home === 'clickhouse'
        ? 'The clicks of this database are in ClickHouse: set CLICKHOUSE_URL as before, or bring ' +
            'them back with curtail copy --clicks mongodb'
        : 'The clicks of this database are in click stores: take them to ClickHouse with ' +
            'curtail copy --clicks clickhouse, or unset CLICKHOUSE_URL',
    );
    this.name = 'ClicksElsewhereError';
  }
}

/** Notes in the database where its clicks are kept, so that all services on it agree. */
export class ClickHomeRepository {
  constructor(private readonly database: { readonly db: mongo.Db | undefined }) {}

  /** Makes it the home where there are no clicks yet. @throws ClicksElsewhereError */
  async claim(wanted: ClickHome): Promise<void> {
    const home = await this.find();
    if (home === wanted) return;
    if (home === 'clickhouse' || (await this.hasStoredClicks()))
      throw new ClicksElsewhereError(home);
    await this.move(wanted);
  }

  async find(): Promise<ClickHome> {
    const found = await this.settings.findOne({ _id: CLICK_HOME });
    return found?.value ?? 'mongodb';
  }

  /** Says that all clicks are there now. */
  async move(home: ClickHome): Promise<void> {
    const value = { $set: { value: home } };
    await this.settings.updateOne({ _id: CLICK_HOME }, value, { upsert: true });
  }

  private async hasStoredClicks(): Promise<boolean> {
    const withClicks = { $or: [{ tail_n: { $gt: 0 } }, { blocks: { $ne: [] } }] };
    const stores = this.collection<StoredClickStore>(CLICK_STORES);
    return (await stores.findOne(withClicks, { projection: { _id: 1 } })) !== null;
  }

  private get settings(): mongo.Collection<HomeRecord> {
    return this.collection<HomeRecord>(SETTINGS);
  }

  private collection<T extends object>(name: string): mongo.Collection<T> {
    const { db } = this.database;
    if (db === undefined) throw new Error('The connection is not open');
    return db.collection<T>(name);
  }
}
