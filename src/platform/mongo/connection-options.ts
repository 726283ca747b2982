import type { ConnectOptions } from 'mongoose';
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
