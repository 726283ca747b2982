import { type Connection, createConnection } from 'mongoose';
import { MongoOptions } from '../../config/options';
import { connectionOptions } from './connection-options';

/** An operation that takes longer has lost its server; the caller repeats it. */
const SOCKET_TIMEOUT_MS = 60_000;
const POOL_SIZE = 4;

/** A connection of a process that has no Nest; rejects when the database is not reachable. */
export async function openConnection(mongo: MongoOptions): Promise<Connection> {
  const connection = createConnection();
  try {
    return await connection.openUri(mongo.uri, {
      ...connectionOptions(mongo),
      socketTimeoutMS: SOCKET_TIMEOUT_MS,
      maxPoolSize: POOL_SIZE,
    });
  } catch (error) {
    await connection.destroy();
    throw error;
  }
}
