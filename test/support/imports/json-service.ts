import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Question {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
}

export class Answer {
  constructor(
    readonly status: number,
    readonly body: unknown,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}
}

/** Ways in which a service fails instead of responding. */
export const FAULTS = {
  busy: new Answer(429, { error: 'too many requests' }, { 'Retry-After': '1' }),
  unavailable: new Answer(503, { error: 'not now' }, { 'Retry-After': '1' }),
  broken: new Answer(0, ''),
  redirect: new Answer(302, '', { Location: 'https://elsewhere.test/' }),
  html: new Answer(200, '<!doctype html><title>Sign in</title>', { 'Content-Type': 'text/html' }),
  otherShape: new Answer(200, { ok: true, items: 'none', links: {}, data: null }),
  tooMuch: new Answer(200, 'x'.repeat(17 * 1024 * 1024)),
} as const;

export class JsonService {
  readonly asked: Question[] = [];
  mostAtOnce = 0;
  /** Responses that replace the service's, in order; null replaces nothing. */
  readonly faults: (Answer | null)[] = [];
  url = '';
  private underWay = 0;
  private server?: Server;

  /** @param answer a value or an Answer, whose text is sent unchanged */
  constructor(private readonly answer: (question: Question) => unknown) {}

  async start(): Promise<string> {
    this.server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://service.test');
      const question = { path: pathname, query: searchParams, headers: request.headers };
      this.asked.push(question);
      this.mostAtOnce = Math.max(this.mostAtOnce, ++this.underWay);
      response.on('close', () => this.underWay--);
      void (async () => {
        const told = this.faults.shift() ?? (await this.answer(question));
        const { status, body, headers } = told instanceof Answer ? told : new Answer(200, told);
        if (status === 0) {
          request.socket.destroy();
          return;
        }
        const text = typeof body === 'string' ? body : JSON.stringify(body);
        response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(text);
      })();
    }).listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return this.url;
  }

  answered(question: Question): unknown {
    return this.answer(question);
  }

  stop(): void {
    this.server?.close();
    this.server?.closeAllConnections();
  }
}
