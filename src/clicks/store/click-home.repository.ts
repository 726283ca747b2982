import type { mongo } from 'mongoose';
import { CLICK_STORES, type StoredClickStore } from './click-store.schema';
import { type ClickHome, ClicksElsewhereError, type ClickState } from './click-home.errors';

const SETTINGS_COLLECTION = 'settings';
const CLICK_HOME = 'click_home';

interface HomeRecord {
  _id: string;
  value: ClickState;
}

/** Records whether clicks are stored in MongoDB or ClickHouse, so that all processes agree. */
export class ClickHomeRepository {
  constructor(private readonly database: { readonly db: mongo.Db | undefined }) {}

  /** Chooses the storage if there are no clicks yet. @throws ClicksElsewhereError */
  async claim(wanted: ClickHome): Promise<void> {
    const home = await this.find();
    if (home === wanted) return;
    if (home !== 'mongodb' || (await this.hasStoredClicks())) throw new ClicksElsewhereError(home);
    await this.move(wanted);
  }

  /** For processes that only read. It does not choose the storage. @throws ClicksElsewhereError */
  async check(clickHouse: object | null): Promise<void> {
    const home = await this.find();
    if (home !== (clickHouse === null ? 'mongodb' : 'clickhouse'))
      throw new ClicksElsewhereError(home);
  }

  async find(): Promise<ClickState> {
    const found = await this.settings.findOne({ _id: CLICK_HOME });
    return found?.value ?? 'mongodb';
  }

  async move(home: ClickState): Promise<void> {
    const value = { $set: { value: home } };
    await this.settings.updateOne({ _id: CLICK_HOME }, value, { upsert: true });
  }

  private async hasStoredClicks(): Promise<boolean> {
    const withClicks = { $or: [{ tail_n: { $gt: 0 } }, { blocks: { $ne: [] } }] };
    const stores = this.collection<StoredClickStore>(CLICK_STORES);
    return (await stores.findOne(withClicks, { projection: { _id: 1 } })) !== null;
  }

  private get settings(): mongo.Collection<HomeRecord> {
    return this.collection<HomeRecord>(SETTINGS_COLLECTION);
  }

  private collection<T extends object>(name: string): mongo.Collection<T> {
    const { db } = this.database;
    if (db === undefined) throw new Error('The connection is not open');
    return db.collection<T>(name);
  }
}
