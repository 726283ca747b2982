import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { mongo } from 'mongoose';
import { isDatabaseUnreachable } from '../../src/common/database-fault';
import { OwnEngine } from '../support/own-engine';

const FULL_BUFFER_BYTES = 4_000_000;

describe('a database that stops in the middle of a write', () => {
  const engine = new OwnEngine();
  let client: mongo.MongoClient;
  beforeAll(async () => {
    await engine.start();
    client = new mongo.MongoClient(engine.uri, {
      serverSelectionTimeoutMS: 1000,
      monitorCommands: true,
    });
    await client.connect();
  });
  afterAll(async () => {
    await client.close();
    await engine.remove();
  });

  it('is distinguished from an internal error, even if the driver returns the bare socket error', async () => {
    process.kill(engine.pid, 'SIGSTOP');
    const begun = once(client, 'commandStarted');
    const document = { bytes: Buffer.alloc(FULL_BUFFER_BYTES) };
    const written = client
      .db()
      .collection('cut')
      .insertOne(document)
      .catch((error: unknown) => error);
    await begun;
    // The socket buffers part of the data in this turn; the rest waits until it is read.
    await turn();
    process.kill(engine.pid, 'SIGKILL');
    const error = await written;
    expect(error).toMatchObject({ name: 'Error', syscall: expect.any(String) });
    expect(isDatabaseUnreachable(error)).toBe(true);
  });
});
