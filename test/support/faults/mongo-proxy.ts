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

/** Errors from a server that is not the primary. */
export const NOT_PRIMARY = {
  NotWritablePrimary: 10107,
  InterruptedDueToReplStateChange: 11602,
  PrimarySteppedDown: 189,
} as const;
type NotPrimary = keyof typeof NOT_PRIMARY;

export type Fault =
  /** The database receives half of the request. */
  | { kind: 'cut request' }
  /** The command runs; the client receives half of the response. */
  | { kind: 'cut answer' }
  /** The command runs; the connection closes without a response. */
  | { kind: 'lose answer' }
  /** The command runs; the response is delayed. */
  | { kind: 'delay'; ms: number }
  /** The command runs; the connection stays open without a response. */
  | { kind: 'withhold answer' }
  /** The command does not run. */
  | { kind: 'refuse'; as: NotPrimary }
  /** The command runs, but the response reports that it did not. */
  | { kind: 'deny'; as: NotPrimary }
  /** The command runs, but the response says that only the primary has committed it. */
  | { kind: 'write concern' };

/** Proxy between services and MongoDB that injects faults into commands according to a plan. */
export class MongoProxy {
  /** Called for each data command. If it returns null, the command is passed on. */
  plan: (command: string, collection: string) => Fault | null = () => null;
  /** Milliseconds by which the database's clock is behind. */
  clockBehind = 0;
  /** Number of faults by kind. */
  readonly done = new Map<string, number>();
  private readonly connections = new Set<Socket>();
  private server?: Server;

  private constructor(
    private readonly port: number,
    private readonly socketPath: string,
  ) {}

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

  async hide(): Promise<void> {
    const { server } = this;
    if (server === undefined) return;
    this.server = undefined;
    const closed = once(server, 'close');
    server.close();
    for (const connection of this.connections) connection.destroy();
    await closed;
  }

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

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  readonly end: () => void;
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
    case 'withhold answer':
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
