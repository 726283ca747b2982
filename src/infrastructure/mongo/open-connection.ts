import './driver-repair';
import { type Connection, type ConnectOptions, createConnection } from 'mongoose';
import { MongoOptions } from '../../config/options';

/** Writes are acknowledged once journaled; in a replica set, by a majority of servers. */
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

/** If an operation takes longer, its server is presumed lost and the caller retries. */
const SOCKET_TIMEOUT_MS = 60_000;
const POOL_SIZE = 4;

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
