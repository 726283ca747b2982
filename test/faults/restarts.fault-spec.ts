import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { aLink } from '../support/factories/links';
import { endAfterFile } from '../support/left-running';
import { eventually, type Service, type ServiceOptions, startService } from '../support/service';

const CLIENTS = 16;
const RESTARTS = 5;
const PAUSE_MS = 10;
jest.setTimeout(600_000);

interface Answer {
  readonly status: number;
  readonly isLast: boolean;
}

/** A proxy's busy keep-alive connection, which switches machines when it is closed. */
class BusyConnection {
  readonly failures: string[] = [];
  redirects = 0;
  changes = 0;
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });
  private readonly loop: Promise<void>;
  private isGoing = true;

  constructor(
    private ports: readonly [number, number],
    private readonly path: string,
  ) {
    this.loop = this.keepVisiting();
  }

  get port(): number {
    return this.ports[0];
  }

  async stop(): Promise<void> {
    this.isGoing = false;
    await this.loop;
    this.agent.destroy();
  }

  private async keepVisiting(): Promise<void> {
    while (this.isGoing) {
      try {
        const { status, isLast } = await this.visit();
        if (status === 302) this.redirects += 1;
        else this.failures.push(String(status));
        if (isLast) this.change();
      } catch (error) {
        const { code = String(error) } = error as NodeJS.ErrnoException;
        // A proxy tries another machine: nothing was sent.
        if (code === 'ECONNREFUSED') this.change();
        else this.failures.push(code);
      }
      await sleep(PAUSE_MS);
    }
  }

  private change(): void {
    const [port, next] = this.ports;
    this.ports = [next, port];
    this.changes += 1;
  }

  private visit(): Promise<Answer> {
    const options = { agent: this.agent, host: '127.0.0.1', port: this.port, path: this.path };
    return new Promise((resolve, reject) => {
      const sending = request(options, (response) => {
        const isLast = response.headers.connection === 'close';
        response.resume().on('error', reject);
        response.on('end', () => resolve({ status: response.statusCode ?? 0, isLast }));
      });
      sending.on('error', reject).end();
    });
  }
}

describe('rolling restarts of two services behind a proxy', () => {
  const folder = mkdtempSync(join(tmpdir(), 'curtail-restarts-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('lose no request on busy keep-alive connections', async () => {
    const database = `t${process.pid}restarts`;
    const start = (name: string, port?: number): Promise<Service> => {
      const options: ServiceOptions = { dataDir: join(folder, name), database };
      return startService(port === undefined ? options : { ...options, port });
    };
    const services = await Promise.all([start('a'), start('b')]);
    const { alias } = await aLink(services[0]);
    const [a, b] = [services[0].port, services[1].port];
    const connections = Array.from(
      { length: CLIENTS },
      (_, i) => new BusyConnection(i % 2 === 0 ? [a, b] : [b, a], `/${alias}`),
    );
    endAfterFile(async () => {
      await Promise.all(connections.map((connection) => connection.stop()));
    });
    const redirectsOf = () => connections.map(({ redirects }) => redirects);
    const allVisitAgain = async (): Promise<void> => {
      const before = redirectsOf();
      await eventually('every connection redirects', () =>
        redirectsOf().every((redirects, i) => redirects > (before[i] ?? 0) + 5),
      );
    };
    for (let i = 0; i < RESTARTS; i += 1) {
      await allVisitAgain();
      const which = i % 2 === 0 ? 0 : 1;
      const { port } = services[which];
      expect(await services[which].stop()).toBe(0);
      expect(connections.map((connection) => connection.port)).not.toContain(port);
      services[which] = await start(which === 0 ? 'a' : 'b', port);
    }
    await allVisitAgain();
    await Promise.all(connections.map((connection) => connection.stop()));
    expect(connections.flatMap(({ failures }) => failures)).toEqual([]);
    // Only half of the connections start on the service that stops first; later stops affect all.
    for (const { changes } of connections) expect(changes).toBeGreaterThanOrEqual(RESTARTS - 1);
    for (const service of services) await service.stop();
  });
});
