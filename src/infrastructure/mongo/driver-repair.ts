import { createRequire } from 'node:module';
import { mongo } from 'mongoose';

/** The part of the driver's connection that is repaired here. */
interface DriverConnection {
  readonly error?: Error;
  once(event: 'close', listener: () => void): void;
  off(event: 'close', listener: () => void): void;
  writeCommand: (this: DriverConnection, ...args: unknown[]) => Promise<void>;
}

const REPAIRED = Symbol.for('curtail.repaired');

/**
 * Ends operations that are about to be written when their connection closes. The driver (7.8) waits
 * for `drain` of a socket that has been destroyed and has not told so yet, which never comes: recording,
 * for example, stood still until the process was started anew. An operation that has been written
 * is ended by the driver itself.
 */
export function repairDriver(): void {
  const load = createRequire(require.resolve('mongoose'));
  const { Connection } = load('mongodb/lib/cmap/connection') as {
    Connection: { prototype: DriverConnection & { [REPAIRED]?: true } };
  };
  const { prototype } = Connection;
  if (prototype[REPAIRED] === true) return;
  prototype[REPAIRED] = true;
  const write = prototype.writeCommand;
  prototype.writeCommand = function (this: DriverConnection, ...args: unknown[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const close = (): void => {
        reject(this.error ?? new mongo.MongoNetworkError('The connection was closed'));
      };
      this.once('close', close);
      write
        .apply(this, args)
        .finally(() => this.off('close', close))
        .then(resolve, reject);
    });
  };
}

repairDriver();
