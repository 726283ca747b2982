import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that a service was asked. */
export interface Question {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
}

/** An answer that is more than a value of 200. */
export class Answer {
  constructor(
    readonly status: number,
    readonly body: unknown,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}
}

/** A service on a loopback port that answers in JSON. */
export class JsonService {
  readonly asked: Question[] = [];
  /** The most requests that were under way at once. */
  mostAtOnce = 0;
  private underWay = 0;
  private server?: Server;

  /** @param answer the value or an Answer; a text of an Answer is sent as it is */
  constructor(private readonly answer: (question: Question) => unknown) {}

  async start(): Promise<string> {
    this.server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://service.test');
      const question = { path: pathname, query: searchParams, headers: request.headers };
      this.asked.push(question);
      this.mostAtOnce = Math.max(this.mostAtOnce, ++this.underWay);
      response.on('close', () => this.underWay--);
      void (async () => {
        const told = await this.answer(question);
        const { status, body, headers } = told instanceof Answer ? told : new Answer(200, told);
        const text = typeof body === 'string' ? body : JSON.stringify(body);
        response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(text);
      })();
    }).listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The answer, without a request. */
  answered(question: Question): unknown {
    return this.answer(question);
  }

  stop(): void {
    this.server?.close();
    this.server?.closeAllConnections();
  }
}
