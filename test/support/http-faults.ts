import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export type ConnectionFault =
  | 'cut request'
  /** The server receives the request, but its response is lost. */
  | 'lose answer'
  /** The client times out; its request reaches the server much later. */
  | 'late request';

/** A connection fault and the number of responses before it. */
interface Fate {
  readonly fault: ConnectionFault;
  readonly after: number;
}

const LATE_MS = 60;

export class HttpFaults {
  private readonly sockets = new Set<Socket>();
  private readonly late = new Set<NodeJS.Timeout>();

  private constructor(
    private readonly server: Server,
    private readonly target: number,
    private readonly fateOf: () => Fate,
  ) {}

  static async before(target: number, fateOf: () => Fate): Promise<HttpFaults> {
    const server = createServer();
    const faults = new HttpFaults(server, target, fateOf);
    server.on('connection', (client) => faults.take(client));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return faults;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.close();
    for (const timer of this.late) clearTimeout(timer);
    for (const socket of this.sockets) socket.destroy();
  }

  private take(client: Socket): void {
    const { fault, after } = this.fateOf();
    const server = this.toServer();
    this.keep(client);
    let answers = 0;
    const end = () => {
      client.destroy();
      server.destroy();
    };
    client.on('close', end);
    server.on('close', end);
    server.on('data', (bytes: Buffer) => {
      answers += 1;
      if (fault === 'lose answer' && answers > after) end();
      else client.write(bytes);
    });
    client.on('data', (bytes: Buffer) => {
      if (answers < after || fault === 'lose answer') server.write(bytes);
      else if (fault === 'cut request') server.write(bytes.subarray(0, bytes.length >> 1), end);
      else this.deliverLate(client, bytes);
    });
  }

  private deliverLate(client: Socket, first: Buffer): void {
    const sent = [first];
    client.removeAllListeners('data');
    client.on('data', (bytes: Buffer) => sent.push(bytes));
    const giveUp = setTimeout(() => client.destroy(), LATE_MS / 2);
    const deliver = setTimeout(() => {
      const server = this.toServer();
      server.write(Buffer.concat(sent));
      server.resume();
    }, LATE_MS);
    this.late.add(giveUp).add(deliver);
  }

  private toServer(): Socket {
    return this.keep(connect(this.target, '127.0.0.1'));
  }

  private keep(socket: Socket): Socket {
    this.sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.sockets.delete(socket));
    return socket;
  }
}
