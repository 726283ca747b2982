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

interface DriverResponse {
  readonly batch: {
    readonly bson: Uint8Array;
    /** Type, start and length of the name, start and length of the value. */
    readonly elements: readonly (readonly [number, number, number, number, number])[];
  };
  readonly encryptedBatch: object | null;
  iterated: number;
  shift: (this: DriverResponse, options?: { readonly raw?: boolean }) => unknown;
}

interface DriverPool {
  minPoolSizeTimer?: NodeJS.Timeout;
  ensureMinPoolSize: (this: DriverPool) => void;
}

const POOL_CHECK_MS = 5000;

const load = createRequire(require.resolve('mongoose'));
const { Connection } = load('mongodb/lib/cmap/connection') as {
  Connection: { prototype: DriverConnection };
};
const { CursorResponse } = load('mongodb/lib/cmap/wire_protocol/responses') as {
  CursorResponse: { prototype: DriverResponse };
};
const { ConnectionPool } = load('mongodb/lib/cmap/connection_pool') as {
  ConnectionPool: { prototype: DriverPool };
};
const originalEnsureMinPoolSize = ConnectionPool.prototype.ensureMinPoolSize;
const originalWriteCommand = Connection.prototype.writeCommand;
const originalShift = CursorResponse.prototype.shift;

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

// For raw documents, the driver would list all fields first, which takes longer than reading them.
CursorResponse.prototype.shift = function (this: DriverResponse, options): unknown {
  const element = this.batch.elements[this.iterated];
  if (options?.raw !== true || element === undefined || this.encryptedBatch !== null) {
    return originalShift.call(this, options);
  }
  this.iterated++;
  const [, , , start, length] = element;
  return this.batch.bson.subarray(start, start + length);
};

// The driver looks for unusable connections ten times a second, which would be most of an idle
// process's work. They are also found when they are next used.
ConnectionPool.prototype.ensureMinPoolSize = function (this: DriverPool): void {
  const previous = this.minPoolSizeTimer;
  originalEnsureMinPoolSize.call(this);
  if (this.minPoolSizeTimer === previous) return;
  clearTimeout(this.minPoolSizeTimer);
  this.minPoolSizeTimer = setTimeout(() => this.ensureMinPoolSize(), POOL_CHECK_MS);
};
