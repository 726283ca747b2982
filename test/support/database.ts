import mongoose from 'mongoose';
import type { Service } from './service';

/** A look into a service's database, from outside. */
export async function databaseOf(service: Service): Promise<mongoose.Connection> {
  return mongoose.createConnection(service.mongoUri).asPromise();
}

/** total_clicks of a link as stored. */
export async function totalClicks(connection: mongoose.Connection, id: string): Promise<number> {
  const link = await connection
    .collection('links')
    .findOne({ _id: new mongoose.Types.ObjectId(id) });
  return (link?.total_clicks as number | undefined) ?? -1;
}
