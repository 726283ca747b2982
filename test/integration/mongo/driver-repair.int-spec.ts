import net from 'node:net';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { mongo } from 'mongoose';
import '../../../src/infrastructure/mongo/driver-repair';
import { testDatabaseUri } from '../../support/test-database';

const load = createRequire(require.resolve('mongoose'));
const { OpMsgRequest } = load('mongodb/lib/cmap/commands') as {
  OpMsgRequest: { prototype: { toBin(): Promise<Uint8Array[]> } };
};

describe('A connection that the database has closed', () => {
  afterEach(() => jest.restoreAllMocks());

  it('fails the next operation, and the operation after that uses another connection', async () => {
    const sockets: net.Socket[] = [];
    const open = net.createConnection as (...args: unknown[]) => net.Socket;
    jest.spyOn(net, 'createConnection').mockImplementation((...args: unknown[]) => {
      const socket = open(...args);
      sockets.push(socket);
      return socket;
    });
    const client = new mongo.MongoClient(testDatabaseUri());
    const ping = () => client.db().command({ ping: 1 });
    await ping();
    expect(sockets.length).toBeGreaterThan(0);
    jest.spyOn(OpMsgRequest.prototype, 'toBin').mockImplementationOnce(function (this: object) {
      // A destroyed socket emits its event one turn later.
      for (const socket of sockets) socket.destroy();
      jest.restoreAllMocks();
      return OpMsgRequest.prototype.toBin.call(this);
    });
    const outcome = await Promise.race([
      ping().then(
        () => 'answered',
        (error: unknown) => error,
      ),
      sleep(10_000, 'it hangs', { ref: false }),
    ]);
    expect(outcome).toBeInstanceOf(mongo.MongoNetworkError);
    expect(await ping()).toMatchObject({ ok: 1 });
    await client.close();
  });
});
