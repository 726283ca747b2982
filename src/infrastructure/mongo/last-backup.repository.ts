import type { mongo } from 'mongoose';

interface LastBackup {
  _id: string;
  /** ISO 8601. */
  value: string;
}

const [SETTINGS, LAST_BACKUP] = ['settings', 'last_backup'];

export class LastBackupRepository {
  constructor(private readonly database: { readonly db: mongo.Db | undefined }) {}

  async note(at: Date): Promise<void> {
    const value = { $set: { value: at.toISOString() } };
    await this.settings().updateOne({ _id: LAST_BACKUP }, value, { upsert: true });
  }

  async find(): Promise<Date | null> {
    const found = await this.settings().findOne({ _id: LAST_BACKUP });
    return found === null ? null : new Date(found.value);
  }

  private settings(): mongo.Collection<LastBackup> {
    const { db } = this.database;
    if (db === undefined) throw new Error('The connection is not open');
    return db.collection<LastBackup>(SETTINGS);
  }
}
