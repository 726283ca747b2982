import { createRequire } from 'node:module';
import { mongo } from 'mongoose';

// Works around a bug in the driver (7.8): if a socket is destroyed but has not yet emitted
// `close`, an operation about to be written waits forever for `drain`, which stalled recording.
// With this patch, the operation fails when the connection closes, as it does once written.

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
