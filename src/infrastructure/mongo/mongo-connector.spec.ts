import { EventEmitter } from 'node:events';
import { NestFactory } from '@nestjs/core';
import { getConnectionToken } from '@nestjs/mongoose';
import { type Connection, ConnectionStates } from 'mongoose';
import { eventually } from '../../../test/support/shared/eventually';
import { RecordingLogger } from '../../../test/support/shared/recording-logger';
import { AppLog } from '../../common/log';
import { MetricsOptions, MongoOptions } from '../../config/options';
import { MongoConnector } from './mongo-connector';
import { MongoModule } from './mongo.module';
import { DatabaseReadiness } from './write-barrier';

const AWAY =
  'error MongoDB is not reachable; until it is, cached links redirect, clicks wait in the ' +
  'journal, and all other requests return 503';
const BACK = 'info MongoDB is reachable again';

/** Like mongoose, emits `disconnected` before an attempt fails, and `connected` otherwise. */
class TestConnection extends EventEmitter {
  readonly attempts: (Error | null)[] = [];

  asPromise(): Promise<this> {
    return this.openUri();
  }

  openUri(): Promise<this> {
    const error = this.attempts.shift() ?? null;
    this.emit(error === null ? 'connected' : 'disconnected');
    return error === null ? Promise.resolve(this) : Promise.reject(error);
  }

  modelNames(): string[] {
    return [];
  }
}

describe('the connection to MongoDB', () => {
  let connection: TestConnection;
  let logger: RecordingLogger;

  async function connect(...attempts: (Error | null)[]): Promise<void> {
    connection = new TestConnection();
    connection.attempts.push(...attempts);
    logger = new RecordingLogger();
    const connector = new MongoConnector(
      connection as unknown as Connection,
      { uri: 'mongodb://db.test/curtail', embedded: false },
      { enabled: false },
      new DatabaseReadiness(),
      logger as unknown as AppLog,
    );
    await connector.start();
  }

  it('is not reported as lost if the first attempt was slow while modules were loading', async () => {
    await connect(new Error('Server selection timed out after 3000 ms'), null);
    expect(logger.lines).toEqual([]);
    connection.emit('disconnected');
    connection.emit('connected');
    expect(logger.lines).toEqual([AWAY, BACK]);
    expect(logger.extras).toContainEqual({ server: 'db.test', reason: 'the connection was lost' });
  });

  it('is reported with the reason if it fails', async () => {
    await connect(new Error('too slow'), new Error('ECONNREFUSED'), null);
    expect(logger.lines).toEqual([AWAY, BACK]);
    expect(logger.extras).toContainEqual({ server: 'db.test', reason: 'ECONNREFUSED' });
  });

  it('may fail before any code waits for it', async () => {
    const uri = 'mongodb://127.0.0.1/curtail?tls=true&tlsCAFile=/nonexistent/ca.pem';
    const providers = [
      { provide: MongoOptions, useValue: { uri, embedded: false } },
      { provide: MetricsOptions, useValue: { enabled: false } },
      { provide: AppLog, useValue: new RecordingLogger() },
    ];
    const settings = { module: TestConnection, global: true, providers, exports: providers };
    const root = { module: DatabaseReadiness, imports: [settings, MongoModule] };
    const app = await NestFactory.createApplicationContext(root, { logger: false });
    const opened = app.get<Connection>(getConnectionToken());
    await eventually(() => opened.readyState === ConnectionStates.disconnected);
    // Jest would also fail the test for an unhandled rejection.
    await expect(opened.asPromise()).rejects.toThrow('ENOENT');
    await app.close();
  });
});
