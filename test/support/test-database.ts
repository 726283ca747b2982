import { randomBytes } from 'node:crypto';
import mongoose, { type Connection } from 'mongoose';
import { MongoOptions } from '../../src/config/options';
import { connectionOptions } from '../../src/infrastructure/mongo/open-connection';

/** Returns the URI of a unique database on the run's engine. */
export function testDatabaseUri(): string {
  const template = process.env['CURTAIL_TEST_MONGO'];
  if (template === undefined) throw new Error('CURTAIL_TEST_MONGO is unset: no engine was started');
  return template.replace('%DB%', `test_${randomBytes(6).toString('hex')}`);
}

/** The test engine as program options. */
export class TestMongo extends MongoOptions {
  readonly embedded = true;

  constructor(readonly uri: string) {
    super();
  }
}

export function openTestDatabase(uri: string): Promise<Connection> {
  return mongoose.createConnection(uri, connectionOptions(new TestMongo(uri))).asPromise();
}

export async function dropTestDatabase(connection: Connection): Promise<void> {
  await connection.dropDatabase();
  await connection.close();
}
