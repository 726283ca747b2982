import { randomBytes } from 'node:crypto';
import mongoose, { type Connection } from 'mongoose';
import { MongoOptions } from '../../src/config/options';
import { connectionOptions } from '../../src/infrastructure/mongo/open-connection';

/** Address of a database of one's own on the engine that the global set-up has started. */
export function testDatabaseUri(): string {
  const template = process.env['CURTAIL_TEST_MONGO'];
  if (template === undefined) throw new Error('CURTAIL_TEST_MONGO is unset: no engine was started');
  return template.replace('%DB%', `test_${randomBytes(6).toString('hex')}`);
}

/** The engine of the tests as the program would be told of it. */
export class TestMongo extends MongoOptions {
  readonly embedded = true;

  constructor(readonly uri: string) {
    super();
  }
}

/** Opens the database with the options of the program. */
export function openTestDatabase(uri: string): Promise<Connection> {
  return mongoose.createConnection(uri, connectionOptions(new TestMongo(uri))).asPromise();
}

/** Removes the database and closes the connection. */
export async function dropTestDatabase(connection: Connection): Promise<void> {
  await connection.dropDatabase();
  await connection.close();
}
