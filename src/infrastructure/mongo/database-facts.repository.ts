import type { mongo } from 'mongoose';

/** Longer than any server takes that is well. */
const MAX_MS = 5000;

/** Facts about the database itself, for those who run the service. */
export class DatabaseFactsRepository {
  constructor(private readonly database: { readonly db: mongo.Db | undefined }) {}

  async version(): Promise<string> {
    const { version } = await this.command({ buildInfo: 1 });
    if (typeof version !== 'string') throw new Error('The database does not say its version');
    return version;
  }

  /** Bytes that data and indexes take on its disk. */
  async bytes(): Promise<number> {
    const { storageSize, indexSize } = await this.command({ dbStats: 1 });
    return Number(storageSize) + Number(indexSize);
  }

  private command(command: mongo.Document): Promise<mongo.Document> {
    const { db } = this.database;
    if (db === undefined) throw new Error('The connection is not open');
    return db.command({ ...command, maxTimeMS: MAX_MS });
  }
}
