import { connect, createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { endAfterFile } from '../left-running';
import { freePort } from '../service';
import {
  answeredIdOf,
  answerTo,
  collectionOf,
  commandOf,
  MessageStream,
  requestIdOf,
  withClockBehind,
  withFields,
} from './wire-messages';

const WRITES = new Set(['insert', 'update', 'delete', 'findAndModify']);
const READS = ['find', 'aggregate', 'getMore', 'count', 'distinct'];
const COMMANDS = new Set([...WRITES, ...READS]);

/** Refusals of a server that is no primary any more, or never was. */
export const NOT_PRIMARY = {
  NotWritablePrimary: 10107,
  InterruptedDueToReplStateChange: 11602,
  PrimarySteppedDown: 189,
} as const;
type NotPrimary = keyof typeof NOT_PRIMARY;

/** A way in which one command fails. */
export type Fault =
  /** Half of it reaches the database. */
  | { kind: 'cut request' }
  /** It is carried out, and half of the answer comes. */
  | { kind: 'cut answer' }
  /** It is carried out, and the connection ends without an answer. */
  | { kind: 'lose answer' }
  /** It is carried out, and the answer is late. */
  | { kind: 'delay'; ms: number }
  /** It is not carried out. */
  | { kind: 'refuse'; as: NotPrimary }
  /** It is carried out, and the answer says that it was not. */
  | { kind: 'deny'; as: NotPrimary }
  /** It is carried out on the primary alone, as far as is known. */
  | { kind: 'write concern' };

/** Stands between services and their MongoDB, and does to commands what its plan says. */
export class MongoProxy {
  /** Asked for each command on data; null lets it pass. */
  plan: (command: string, collection: string) => Fault | null = () => null;
  /** By how much the database's clock is behind ours, in milliseconds. */
  clockBehind = 0;
  /** How many faults there were, by kind. */
  readonly done = new Map<string, number>();
  private readonly connections = new Set<Socket>();
  private server?: Server;

  private constructor(
    private readonly port: number,
    private readonly socketPath: string,
  ) {}

  /** In front of a MongoDB with a Unix socket, by its URI. */
  static async to(uri: string): Promise<MongoProxy> {
    const [, socket = ''] = /^mongodb:\/\/([^/?]+)/.exec(uri) ?? [];
    const proxy = new MongoProxy(await freePort(), decodeURIComponent(socket));
    endAfterFile(() => proxy.hide());
    await proxy.show();
    return proxy;
  }

  uri(database: string): string {
    return `mongodb://127.0.0.1:${this.port}/${database}?directConnection=true`;
  }

  /** Is gone: connections end, new ones are refused. */
  async hide(): Promise<void> {
    const { server } = this;
    if (server === undefined) return;
    this.server = undefined;
    const closed = once(server, 'close');
    server.close();
    for (const connection of this.connections) connection.destroy();
    await closed;
  }

  /** Is there again, under the same address. */
  async show(): Promise<void> {
    if (this.server !== undefined) return;
    this.server = createServer((client) => this.serve(client));
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
  }

  private serve(client: Socket): void {
    const server = connect(this.socketPath);
    const end = (): void => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      this.connections.add(socket);
      socket.on('error', end).on('close', () => {
        this.connections.delete(socket);
        end();
      });
    }
    const pair = { client, server, end, faults: new Map<number, Fault>() };
    const [requests, answers] = [new MessageStream(), new MessageStream()];
    client.on('data', (chunk) => {
      for (const message of requests.push(chunk)) this.takeRequest(pair, message);
    });
    server.on('data', (chunk) => {
      for (const message of answers.push(chunk)) takeAnswer(pair, message);
    });
  }

  private takeRequest(pair: Pair, request: Buffer): void {
    const message = this.clockBehind === 0 ? request : withClockBehind(request, this.clockBehind);
    const command = commandOf(message);
    const isPlanned = command !== null && COMMANDS.has(command);
    const planned = isPlanned ? this.plan(command, collectionOf(message)) : null;
    const isRead = command === null || !WRITES.has(command);
    const fault = planned?.kind === 'write concern' && isRead ? null : planned;
    if (fault === null) return void pair.server.write(message);
    this.done.set(fault.kind, (this.done.get(fault.kind) ?? 0) + 1);
    if (fault.kind === 'refuse') {
      pair.client.write(answerTo(requestIdOf(message), refusal(fault.as)));
      return;
    }
    if (fault.kind === 'cut request') {
      pair.server.write(message.subarray(0, message.length >>> 1), pair.end);
      return;
    }
    pair.faults.set(requestIdOf(message), fault);
    pair.server.write(message);
  }
}

/** A connection of a service and the one to the database behind it. */
interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  readonly end: () => void;
  /** By the number of the request, for commands that are under way. */
  readonly faults: Map<number, Fault>;
}

function takeAnswer({ client, end, faults }: Pair, message: Buffer): void {
  const fault = faults.get(answeredIdOf(message));
  faults.delete(answeredIdOf(message));
  switch (fault?.kind) {
    case 'cut answer':
      client.write(message.subarray(0, message.length >>> 1), end);
      break;
    case 'lose answer':
      end();
      break;
    case 'delay':
      setTimeout(() => client.write(message), fault.ms);
      break;
    case 'deny':
      client.write(answerTo(answeredIdOf(message), refusal(fault.as)));
      break;
    case 'write concern':
      client.write(withFields(message, { writeConcernError: WRITE_CONCERN_ERROR }));
      break;
    default:
      client.write(message);
  }
}

const WRITE_CONCERN_ERROR = {
  code: 64,
  codeName: 'WriteConcernFailed',
  errmsg: 'waiting for replication timed out',
  errInfo: { wtimeout: true },
};

function refusal(codeName: NotPrimary): Record<string, unknown> {
  return { ok: 0, code: NOT_PRIMARY[codeName], codeName, errmsg: 'not the primary' };
}
