import type { AccountsRepository } from '../../../accounts/account/accounts.repository';
import type { NewAuditEntry } from '../../../audit-trail/audit-entry';
import type { AuditTrailService } from '../../../audit-trail/audit-trail.service';
import type { BlockedDestinations } from '../../../blocklists/blocked-destinations';
import type { StoredHosts } from '../../../blocklists/hosts/stored-hosts';
import type { HttpOptions } from '../../../config/options';
import type {
  BlockedHost,
  BlockedHostsRepository,
} from '../../../stores/blocked-hosts/blocked-hosts.repository';
import type { DomainRegistry } from '../../../stores/domains/domain-registry';
import type { LinkWalk } from '../../../stores/links/link-walk.repository';
import { BlockedHostsService } from './blocked-hosts.service';

const BY_COMMAND = { id: null, via: 'cli' } as const;

describe('Blocking a host', () => {
  let hosts: Map<string, BlockedHost>;
  let entries: NewAuditEntry[];
  let service: BlockedHostsService;
  beforeEach(() => {
    hosts = new Map();
    entries = [];
    service = new BlockedHostsService(
      {
        find: (host: string) => Promise.resolve(hosts.get(host) ?? null),
        count: () => Promise.resolve(hosts.size),
        save: (entry: BlockedHost) => Promise.resolve(hosts.set(entry.host, entry)),
        remove: (host: string) => Promise.resolve(hosts.delete(host)),
      } as unknown as BlockedHostsRepository,
      {
        announceChange: () => Promise.resolve(),
        covers: (host: string) => hosts.has(host),
      } as unknown as StoredHosts,
      {
        coversHost: (host: string) => hosts.has(host) || host === 'listed.example',
      } as unknown as BlockedDestinations,
      {
        countClosedTo: () => Promise.resolve(2),
        countLeadingTo: () => Promise.resolve({ links: 3, owners: 1 }),
      } as unknown as LinkWalk,
      {
        find: (host: string) =>
          ({ 'go.active.example': { status: 'active' }, 'go.old.example': { status: 'revoked' } })[
            host
          ],
      } as unknown as DomainRegistry,
      { findEmails: () => Promise.resolve(new Map()) } as unknown as AccountsRepository,
      {
        add: (entry: NewAuditEntry) => Promise.resolve(entries.push(entry)),
      } as unknown as AuditTrailService,
      { baseUrl: 'https://own.example:8443' } as HttpOptions,
    );
  });

  it.each(['own.example', 'https://own.example/x', 'go.active.example', 'zip'])(
    'rejects %s, and records nothing',
    async (host) => {
      const refusal = service.block({ host }, BY_COMMAND);
      await expect(refusal).rejects.toMatchObject({ status: 400, field: 'host' });
      expect([hosts.size, entries]).toEqual([0, []]);
    },
  );

  it.each(['above.own.example', 'go.old.example'])('accepts %s', async (host) => {
    const { isNew, entry } = await service.block({ host }, BY_COMMAND);
    expect([isNew, entry]).toMatchObject([true, { host, by: null, links_blocked: 2 }]);
  });

  it('keeps the time and admin of a stored host, and replaces its reason if one is given', async () => {
    const admin = { id: 'a'.repeat(24), via: 'app' } as const;
    const first = await service.block({ host: 'evil.example', reason: 'Spam' }, admin);
    const { isNew, entry } = await service.block({ host: 'evil.example' }, BY_COMMAND);
    expect(isNew).toBe(false);
    expect(entry).toMatchObject({ created_at: first.entry.created_at, by: { id: admin.id } });
    expect(entry.reason).toBe('Spam');
    await service.block({ host: 'evil.example', reason: null }, BY_COMMAND);
    await service.unblock('http://evil.example/', BY_COMMAND);
    await expect(service.unblock('evil.example', BY_COMMAND)).rejects.toMatchObject({
      status: 404,
    });
    expect(entries.map(({ act, before, after }) => [act, before, after])).toEqual([
      ['host.block', null, { reason: 'Spam' }],
      ['host.block', { reason: 'Spam' }, { reason: 'Spam' }],
      ['host.block', { reason: 'Spam' }, { reason: null }],
      ['host.unblock', { reason: null }, null],
    ]);
  });

  it('stores no more than 10,000 hosts, even with concurrent requests', async () => {
    for (let i = 0; i < 9_999; i++) hosts.set(`${i}.example`, {} as BlockedHost);
    const requests = ['a', 'b', 'c'].map((name) =>
      service.block({ host: `${name}.full.example` }, BY_COMMAND).then(
        () => 'stored',
        (error: unknown) => (error as Error).message,
      ),
    );
    expect(new Set(await Promise.all(requests))).toContain('At most 10000 hosts can be blocked');
    expect(hosts.size).toBeLessThanOrEqual(10_000);
    expect(entries.length).toBe(hosts.size - 9_999);
  });

  it('shows which list blocks a host already', async () => {
    await service.block({ host: 'evil.example' }, BY_COMMAND);
    const shown = async (host: string) => (await service.show(host)).blocked_by;
    expect(await shown('evil.example')).toBe('administrator');
    expect(await shown('listed.example')).toBe('file');
    expect(await shown('good.example')).toBeNull();
    expect(await service.show('http://good.example/x')).toMatchObject({
      ...{ host: 'good.example', links: 3, owners: 1 },
    });
  });
});
