import { createRequire } from 'node:module';
import { mongo } from 'mongoose';

// Repairs the driver (7.8) where it is loaded: an operation that is about to be written to a socket that
// has been destroyed, and has not told so yet, waits for a `drain` that never comes. Recording, for
// example, stood still until the process was started anew. Here it ends when the connection closes, as
// the driver itself ends operations that have been written.

interface DriverConnection {
  readonly error?: Error;
  once(event: 'close', listener: () => void): void;
  off(event: 'close', listener: () => void): void;
  writeCommand: (this: DriverConnection, ...args: unknown[]) => Promise<void>;
}

const load = createRequire(require.resolve('mongoose'));
const { Connection } = load('mongodb/lib/cmap/connection') as {
  Connection: { prototype: DriverConnection };
};
const originalWriteCommand = Connection.prototype.writeCommand;

Connection.prototype.writeCommand = function (this: DriverConnection, ...args): Promise<void> {
  return new Promise((resolve, reject) => {
    const close = (): void => {
      reject(this.error ?? new mongo.MongoNetworkError('The connection was closed'));
    };
    this.once('close', close);
    originalWriteCommand
      .apply(this, args)
      .finally(() => this.off('close', close))
      .then(resolve, reject);
  });
};
