import mongoose from 'mongoose';
import { eventually } from './shared/eventually';
import { type Service, startService } from './service';

/** A look into a service's database, from outside. */
export async function databaseOf(service: Service): Promise<mongoose.Connection> {
  return mongoose.createConnection(service.mongoUri).asPromise();
}

/** A service with a look into its database; `stop` ends both. */
export interface ServiceWithDatabase {
  readonly service: Service;
  readonly database: mongoose.Connection;
  readonly stop: () => Promise<void>;
}

export async function startWithDatabase(): Promise<ServiceWithDatabase> {
  const service = await startService();
  const database = await databaseOf(service);
  const stop = async (): Promise<void> => {
    await database.close();
    await service.stop();
  };
  return { service, database, stop };
}

/** total_clicks of a link as stored. */
export async function totalClicks(connection: mongoose.Connection, id: string): Promise<number> {
  const link = await connection
    .collection('links')
    .findOne({ _id: new mongoose.Types.ObjectId(id) });
  return (link?.total_clicks as number | undefined) ?? -1;
}

/** Waits until the clicks of the link with this alias are counted, exactly so many. */
export function clicksCounted(
  connection: mongoose.Connection,
  alias: string,
  count: number,
): Promise<void> {
  return eventually(`${count} clicks of ${alias} are counted`, async () => {
    const link = await connection.collection('links').findOne({ alias });
    return link?.total_clicks === count;
  });
}
