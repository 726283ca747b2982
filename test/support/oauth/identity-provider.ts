import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { PROVIDER_NAMES, type ProviderName } from '../../../src/config/sign-in-providers';

export interface Person {
  sub: string;
  email?: string;
  email_verified?: boolean;
  name?: string;
  picture?: string;
}

export interface Answer {
  status: number;
  body: string;
}

/** A fault between provider and client, which changes or replaces the response for a path. */
export type Fault = (answer: Answer) => Answer | Promise<Answer>;

interface Client {
  readonly id: string;
  readonly secret: string;
}

export const CLIENTS = Object.fromEntries(
  PROVIDER_NAMES.map((name) => [name, { id: `${name}-client`, secret: `${name} secret + sign` }]),
) as Readonly<Record<ProviderName, Client>>;

export class IdentityProvider {
  readonly faults = new Map<string, Fault>();
  readonly asked: string[] = [];

  private constructor(
    private readonly child: ChildProcess,
    private readonly proxy: Server,
    readonly issuer: string,
  ) {}

  static async start(
    site: string,
    options: { port?: number; claimsInIdToken?: boolean } = {},
  ): Promise<IdentityProvider> {
    const proxy = createServer();
    proxy.listen(options.port ?? 0, '127.0.0.1');
    await once(proxy, 'listening');
    const issuer = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const child = fork(join(__dirname, 'provider.process.mjs'), { stdio: 'ignore' });
    const clients = PROVIDER_NAMES.map((name) => ({
      client_id: CLIENTS[name].id,
      client_secret: CLIENTS[name].secret,
      redirect_uris: [`${site}/oauth/${name}/callback`],
      token_endpoint_auth_method: name === 'oidc' ? 'client_secret_basic' : 'client_secret_post',
    }));
    const { claimsInIdToken = false } = options;
    child.send({ start: { issuer, port: 0, clients, claimsInIdToken } });
    const [{ listening }] = (await once(child, 'message')) as [{ listening: number }];
    const provider = new IdentityProvider(child, proxy, issuer);
    proxy.on('request', (request, response) => {
      void provider.relay(request, listening).then(({ status, body, headers }) => {
        for (const [name, value] of headers) response.appendHeader(name, value);
        response.writeHead(status).end(body);
      });
    });
    return provider;
  }

  async tell(person: Person): Promise<void> {
    this.child.send({ person });
    await once(this.child, 'message');
  }

  async stop(): Promise<void> {
    this.proxy.closeAllConnections();
    this.proxy.close();
    this.child.disconnect();
    await once(this.child, 'exit');
  }

  private async relay(
    request: IncomingMessage,
    port: number,
  ): Promise<Answer & { headers: [string, string][] }> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = request.url ?? '/';
    this.asked.push(url.split('?')[0] ?? '');
    const own = ['host', 'connection', 'content-length', 'transfer-encoding'];
    const sent = Object.entries(request.headers).filter(([name]) => !own.includes(name));
    const headers = {
      ...(Object.fromEntries(sent) as Record<string, string>),
      // The provider creates URLs from this header, because fetch sets another Host.
      'X-Forwarded-Host': request.headers.host ?? '',
    };
    const answer = await fetch(`http://127.0.0.1:${port}${url}`, {
      method: request.method,
      headers,
      body: chunks.length === 0 ? undefined : Buffer.concat(chunks),
      redirect: 'manual',
    });
    const whole = { status: answer.status, body: await answer.text() };
    const fault = this.faults.get(url.split('?')[0] ?? '');
    const kept = [...answer.headers].filter(
      ([name]) =>
        !/^(connection|keep-alive|transfer-encoding|content-(length|encoding))$/.test(name),
    );
    return { ...((await fault?.(whole)) ?? whole), headers: kept };
  }
}
