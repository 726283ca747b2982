import './driver-repair';
import { type Connection, type ConnectOptions, createConnection } from 'mongoose';
import { MongoOptions } from '../../config/options';

/** Every acknowledged write is in the journal of the database (and of a majority, if it has one). */
export function connectionOptions(mongo: MongoOptions): ConnectOptions {
  return {
    autoIndex: false,
    autoCreate: false,
    bufferCommands: false,
    serverSelectionTimeoutMS: 3000,
    connectTimeoutMS: 3000,
    maxPoolSize: 32,
    writeConcern: mongo.embedded ? { w: 1, journal: true } : { w: 'majority', journal: true },
  };
}

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

/** Has a connection used, and closes it however that ends. */
export async function withConnection<T>(
  mongo: MongoOptions,
  use: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await openConnection(mongo);
  try {
    return await use(connection);
  } finally {
    await connection.close();
  }
}
