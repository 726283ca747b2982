import { type Connection, Types } from 'mongoose';

export interface StoredReport {
  _id: Types.ObjectId;
  link: Types.ObjectId;
  state: string;
  count: number;
  reasons: Record<string, number>;
  first_at: Date;
  last_at: Date;
  entries: Record<string, unknown>[];
}

export function reportsOf(database: Connection, linkId: string): Promise<StoredReport[]> {
  const link = new Types.ObjectId(linkId);
  return database.collection<StoredReport>('reports').find({ link }).toArray();
}

export async function manyOpenReports(
  database: Connection,
  count: number,
): Promise<() => Promise<void>> {
  const at = new Date();
  const reports = Array.from({ length: count }, () => ({
    ...{ _id: new Types.ObjectId(), link: new Types.ObjectId(), state: 'open', count: 1 },
    ...{ reasons: { spam: 1 }, first_at: at, last_at: at, entries: [{ at, reason: 'spam' }] },
  }));
  const collection = database.collection<StoredReport>('reports');
  await collection.insertMany(reports);
  const ids = reports.map(({ _id }) => _id);
  return async () => {
    await collection.deleteMany({ _id: { $in: ids } });
  };
}
