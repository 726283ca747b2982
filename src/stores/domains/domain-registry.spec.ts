import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StartingError } from '../../common/errors';
import type { AppLog } from '../../common/log';
import type { HttpOptions } from '../../config/options';
import type { ChangeBus } from '../../infrastructure/change-bus/bus';
import { listenForTlsQuestions } from '../../program/tls-ask';
import { DomainSites } from '../../redirect/domain-sites';
import { RequestedHosts } from './requested-host';
import { DomainRegistry } from './domain-registry';
import type { DomainsRepository } from './domains.repository';
import { LinkAddresses } from './link-addresses';

const HTTP = { baseUrl: 'http://go.test' } as HttpOptions;

describe('domains that are not loaded yet', () => {
  let registry: DomainRegistry;
  beforeEach(async () => {
    const bus = { subscribe: () => undefined, onGap: () => undefined } as unknown as ChangeBus;
    const repository = { findKnown: () => Promise.reject(new Error('no database')) };
    const log = { debug: () => undefined } as unknown as AppLog;
    registry = new DomainRegistry(repository as unknown as DomainsRepository, bus, log);
    await registry.start();
  });
  afterEach(() => registry.onModuleDestroy());

  it('are unknown, not missing', () => {
    const addresses = new LinkAddresses(registry, HTTP);
    expect(() => registry.find('a.test')).toThrow(StartingError);
    expect(() => registry.findById('a'.repeat(24))).toThrow(StartingError);
    expect(() => addresses.keyAt('a.test', 'code')).toThrow(StartingError);
    expect(addresses.keyAt(null, 'code')).toBe('code');
  });

  it('are 503 for every host but ours, except /health', () => {
    const sites = new DomainSites(new RequestedHosts(registry, HTTP), HTTP);
    const served: string[] = [];
    const refused: unknown[] = [];
    const handle = sites.handle(
      ({ headers, url }) => served.push(`${headers.host ?? ''}${url ?? ''}`),
      (_request, _response, error) => refused.push(error),
      () => undefined,
    );
    const visit = (host: string, url: string): void => {
      handle({ headers: { host }, url } as IncomingMessage, {} as ServerResponse);
    };
    visit('a.test', '/code');
    expect(refused).toEqual([new StartingError()]);
    visit('a.test', '/health');
    visit('go.test', '/code');
    expect(served).toEqual(['a.test/health', 'go.test/code']);
    expect(refused).toHaveLength(1);
  });

  it('have a proxy ask again', async () => {
    const server = await listenForTlsQuestions({ host: '127.0.0.1', port: 0 }, registry, HTTP);
    const { port } = server.address() as AddressInfo;
    const ask = (domain: string) => fetch(`http://127.0.0.1:${port}/ask?domain=${domain}`);
    const response = await ask('a.test');
    expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '1']);
    expect((await ask('go.test')).status).toBe(200);
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
});
