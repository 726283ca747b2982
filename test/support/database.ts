import mongoose from 'mongoose';
import { eventually } from './shared/eventually';
import { type Service, startService } from './service';

export async function databaseOf(service: Service): Promise<mongoose.Connection> {
  return mongoose.createConnection(service.mongoUri).asPromise();
}

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

export async function totalClicks(connection: mongoose.Connection, id: string): Promise<number> {
  const link = await connection
    .collection('links')
    .findOne({ _id: new mongoose.Types.ObjectId(id) });
  return (link?.total_clicks as number | undefined) ?? -1;
}

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

/** Waits for the end of an account's deletion without requests, which limits would refuse. */
export function accountGone(connection: mongoose.Connection, userId: string): Promise<void> {
  const _id = new mongoose.Types.ObjectId(userId);
  const hasEnded = async (): Promise<boolean> => {
    const account = await connection.collection('accounts').findOne({ _id });
    const job = await connection.collection('jobs').findOne({ _id, state: { $ne: 'done' } });
    return account === null && job === null;
  };
  return eventually('the account is gone', hasEnded);
}
