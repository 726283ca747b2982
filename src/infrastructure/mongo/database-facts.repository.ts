import type { mongo } from 'mongoose';

const MAX_MS = 5000;

export class DatabaseFactsRepository {
  constructor(private readonly database: { readonly db: mongo.Db | undefined }) {}

  async version(): Promise<string> {
    const { version } = await this.command({ buildInfo: 1 });
    if (typeof version !== 'string') throw new Error('The database did not report its version');
    return version;
  }

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
