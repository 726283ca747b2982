import type { HttpOptions } from '../../config/options';
import type { KnownDomain } from './domain';
import { type DomainRegistry, RequestedHosts } from './domain-registry';

const STATUSES: Record<string, string> = {
  'go.example.net': 'active',
  'asleep.example.net': 'suspended',
  'gone.example.net': 'revoked',
  'soon.example.net': 'pending',
};

function hosts(strictHosts = false): RequestedHosts {
  const find = (host: string): KnownDomain | undefined =>
    host in STATUSES ? ({ host, status: STATUSES[host] } as unknown as KnownDomain) : undefined;
  const registry = { isLoaded: true, find } as unknown as DomainRegistry;
  return new RequestedHosts(registry, {
    baseUrl: 'https://s.test:8443',
    strictHosts,
  } as HttpOptions);
}

describe('The requested host', () => {
  it.each(['go.example.net', 'GO.Example.NET', 'go.example.net.', 'go.example.net:1'])(
    '%s is an active domain',
    (host) => {
      expect(hosts().find(host)).toMatchObject({ host: 'go.example.net' });
    },
  );

  it.each(['asleep.example.net', 'gone.example.net', 'SOON.example.net:80'])(
    '%s is closed, because the domain is not active',
    (host) => {
      expect(hosts().find(host)).toBe('closed');
    },
  );

  it.each([undefined, '', 's.test:8443', 's.test', 'S.TEST:1', 's.test.'])(
    '%p is the host of BASE_URL',
    (host) => {
      expect(hosts(true).find(host)).toBeNull();
    },
  );

  it('is unknown only with STRICT_HOSTS', () => {
    expect(hosts(true).find('other.example')).toBe('unknown');
    expect(hosts().find('other.example')).toBeNull();
  });
});
