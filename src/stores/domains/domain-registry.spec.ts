import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StartingError } from '../../common/errors';
import type { AppLog } from '../../common/log';
import type { HttpOptions } from '../../config/options';
import type { ChangeBus } from '../../infrastructure/change-bus/bus';
import { listenForTlsQuestions } from '../../program/tls-ask';
import { DomainSites } from '../../redirect/domain-sites';
import { DomainRegistry, RequestedHosts } from './domain-registry';
import type { Domain } from './domain';
import type { DomainsRepository } from './domains.repository';
import { LinkAddresses } from './link-addresses';

const HTTP = { baseUrl: 'http://go.test' } as HttpOptions;

describe('domains that have not been loaded yet', () => {
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

  it('cause 503 for every host except the BASE_URL host, but not on /health', () => {
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

  it('make a proxy ask again later', async () => {
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

describe('shared domains', () => {
  const domainWith = (changes: Partial<Domain>) =>
    ({
      ...{ id: 'd', ownerId: 'admin', fqdn: 'go.test', status: 'active', revision: 1 },
      ...{ isShared: true, wasShared: true, lastVerifiedAt: new Date(0), ...changes },
    }) as Domain;
  let registry: DomainRegistry;
  let addresses: LinkAddresses;
  const tell = (changes: Partial<Domain>) => registry.tellChange(domainWith(changes));
  const idFor = (account: string) => registry.findActive(account, 'go.test')?.id;
  beforeEach(() => {
    let hear: (message: unknown) => void;
    const bus = {
      subscribe: (_: string, listener: typeof hear) => (hear = listener),
      onGap: () => undefined,
      publish: (_: string, message: unknown) => {
        hear(message);
        return Promise.resolve();
      },
    };
    registry = new DomainRegistry({} as never, bus as never, {} as never);
    addresses = new LinkAddresses(registry, { baseUrl: 'http://base.test' } as HttpOptions);
  });

  it('are offered by name to all accounts except their owner, until sharing ends', async () => {
    await tell({});
    await tell({ id: 'e', fqdn: 'a.test', status: 'suspended' });
    await tell({ id: 'f', fqdn: 'own.test', isShared: false, wasShared: false });
    const names = (account: string) => registry.sharedWith(account).map(({ fqdn }) => fqdn);
    expect(names('user')).toEqual(['a.test', 'go.test']);
    expect(names('admin')).toEqual([]);
    await tell({ isShared: false, revision: 2 });
    expect(names('user')).toEqual(['a.test']);
    await registry.tellRemoval('e');
    expect(registry.usedBy('user').map(({ id }) => id)).toEqual(['d']);
  });

  it('can be used while they are active and shared, and by their owner while they are active', async () => {
    await tell({});
    expect([idFor('user'), idFor('admin')]).toEqual(['d', 'd']);
    await tell({ isShared: false, revision: 2 });
    expect([idFor('user'), idFor('admin')]).toEqual([undefined, 'd']);
    await tell({ status: 'suspended', revision: 3 });
    expect([idFor('user'), idFor('admin')]).toEqual([undefined, undefined]);
  });

  it("are listed after the account's own domain with the same name", async () => {
    await tell({});
    await tell({ id: 'own', ownerId: 'user', status: 'revoked', isShared: false });
    expect(idFor('user')).toBe('d');
    expect(registry.usedBy('user').map(({ id }) => id)).toEqual(['own', 'd']);
    expect(addresses.keyAt('go.test', 'x', 'user')).toBe('own/x');
  });

  it('have addresses for accounts with links on them in any status, and for visitors if active', async () => {
    const keys = () => ['user', null].map((account) => addresses.keyAt('go.test', 'x', account));
    await tell({});
    expect(keys()).toEqual(['d/x', 'd/x']);
    await tell({ status: 'suspended', revision: 2 });
    expect(keys()).toEqual(['d/x', null]);
    await tell({ status: 'revoked', isShared: false, revision: 3 });
    expect(keys()).toEqual(['d/x', null]);
    await tell({ id: 'new', ownerId: 'holder', isShared: false, wasShared: false });
    expect(keys()).toEqual(['new/x', 'new/x']);
  });
});
