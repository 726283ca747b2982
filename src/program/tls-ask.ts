import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { HttpOptions } from '../config/options';
import { hostName } from '../common/host';
import type { ListenAddress } from '../config/network-values';
import { parseUrl } from '../config/url';
import type { DomainRegistry } from '../stores/domains/domain-registry';
import { AskListenError } from './start-error';

const IDLE_MS = 20_000;
const REQUEST_MS = 5000;
const MAX_TLS_ASK_CONNECTIONS = 100;
type DomainLookup = Pick<DomainRegistry, 'find' | 'isLoaded'>;

const MAX_HEADER_BYTES = 4096;

/**
 * Lets a proxy check, before it requests a certificate, whether this service serves a host
 * name. Uses only memory, because it must work if the database is down (docs/contract.md#25.5).
 * @throws AskListenError
 */
export async function listenForTlsQuestions(
  { host, port }: ListenAddress,
  registry: DomainLookup,
  { baseUrl }: HttpOptions,
): Promise<Server> {
  const own = hostName(new URL(baseUrl).hostname);
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES }, (request, response) => {
    const status = request.method === 'GET' ? decideStatus(request.url ?? '/', own, registry) : 404;
    const retry = status === 503 ? { 'Retry-After': '1' } : {};
    response
      .writeHead(status, { 'Content-Length': '0', 'Cache-Control': 'no-store', ...retry })
      .end();
  });
  server.headersTimeout = REQUEST_MS;
  server.requestTimeout = REQUEST_MS;
  server.keepAliveTimeout = IDLE_MS;
  server.maxConnections = MAX_TLS_ASK_CONNECTIONS;
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new AskListenError(host, port, error as NodeJS.ErrnoException);
  }
  return server;
}

function decideStatus(target: string, own: string, registry: DomainLookup): number {
  const url = parseUrl(target, 'http://ask');
  if (url?.pathname !== '/ask') return 404;
  const domain = url.searchParams.get('domain') ?? '';
  if (domain === '') return 400;
  const name = hostName(domain);
  if (name === own) return 200;
  if (!registry.isLoaded) return 503;
  return registry.find(name)?.status === 'active' ? 200 : 404;
}
