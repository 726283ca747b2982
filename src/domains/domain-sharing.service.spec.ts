import { accountWith } from '../../test/support/shared/domain-values';
import type { Account } from '../accounts/account/account';
import type { NewAuditEntry } from '../audit-trail/audit-entry';
import type { Domain } from '../stores/domains/domain';
import { DomainSharingService, MAX_SHARED, sharingObjection } from './domain-mails.service';
import { SharingRefusedError } from './domains.errors';

const ADMIN = accountWith({ role: 'admin', emailVerified: true });
const ACTOR = { id: 'c'.repeat(24), via: 'app' } as const;
const DOMAIN = { id: 'd', ownerId: ADMIN.id, status: 'active', isShared: false } as Domain;
const places = (count: number) => new Set(Array.from({ length: count }, (_, i) => i));

describe('Sharing a domain', () => {
  let stored: Domain;
  let owner: Account | null;
  let taken: Set<number>;
  let entries: NewAuditEntry[];
  const share = jest.fn<Promise<Domain | null>, [string, number]>();
  const unshare = jest.fn(() => Promise.resolve(stored.isShared ? DOMAIN : null));
  const tell = jest.fn();
  const tellChange = jest.fn();
  const sharing = new DomainSharingService(
    {
      findById: () => Promise.resolve(stored),
      takenSharedPlaces: () => Promise.resolve(taken),
      ...{ share, unshare },
    } as never,
    { tellChange } as never,
    { findById: () => Promise.resolve(owner) } as never,
    { tell } as never,
    { add: (entry: NewAuditEntry) => Promise.resolve(entries.push(entry)) } as never,
  );

  beforeEach(() => {
    jest.clearAllMocks();
    [stored, owner, taken, entries] = [DOMAIN, ADMIN, new Set(), []];
    share.mockImplementation(() => Promise.resolve({ ...stored, isShared: true }));
  });

  it('is published and recorded once, and the owner gets one email', async () => {
    const shared = await sharing.set(stored, true, 'Team', ACTOR);
    expect(shared.isShared).toBe(true);
    expect(await sharing.set(shared, true, null, ACTOR)).toBe(shared);
    stored = shared;
    await sharing.set(shared, false, null, ACTOR);
    expect(entries).toMatchObject([
      { act: 'domain.share', reason: 'Team', before: { shared: false }, after: { shared: true } },
      { act: 'domain.unshare', subject: { kind: 'domain', id: 'd' }, after: { shared: false } },
    ]);
    expect(tell.mock.calls.map(([, event]: unknown[]) => event)).toEqual(['shared', 'unshared']);
    expect(tellChange).toHaveBeenCalledTimes(2);
  });

  it('sends no email if the owner shares the domain', async () => {
    await sharing.set(stored, true, null, { id: ADMIN.id, via: 'app' });
    expect([tell.mock.calls, entries.length]).toEqual([[], 1]);
  });

  it('is recorded only once for two concurrent requests', async () => {
    const shared = { ...DOMAIN, isShared: true };
    share.mockImplementationOnce(() => {
      stored = shared;
      return Promise.resolve(null);
    });
    expect(await sharing.set(DOMAIN, true, null, ACTOR)).toBe(shared);
    stored = DOMAIN;
    expect(await sharing.set(shared, false, null, ACTOR)).toBe(DOMAIN);
    expect([entries, tell.mock.calls]).toEqual([[], []]);
  });

  it('uses the next free place if another domain takes one concurrently', async () => {
    taken = new Set([0]);
    share.mockResolvedValueOnce(null);
    await sharing.set(stored, true, null, ACTOR);
    expect(share.mock.calls.map(([, place]) => place)).toEqual([1, 2]);
  });

  it('is rejected if it exceeds the limit, but problems of the domain are reported first', async () => {
    taken = places(MAX_SHARED);
    const beyond = sharing.set(stored, true, null, ACTOR);
    await expect(beyond).rejects.toThrow(/At most 100/);
    owner = accountWith();
    const refused = sharing.set(stored, true, null, ACTOR);
    await expect(refused).rejects.toThrow(/belongs to an admin/);
    await expect(refused).rejects.toMatchObject({ status: 400, field: 'shared' });
    await expect(refused).rejects.toThrow(SharingRefusedError);
    expect(share).not.toHaveBeenCalled();
  });

  const suspended = { at: new Date(0), by: null, reason: 'Spam' };

  it.each<[string, Domain['status'] | null, Account | null, RegExp | null]>([
    ['an active domain of an admin', 'active', ADMIN, null],
    ['a pending domain', 'pending', ADMIN, /active/],
    ['a suspended domain', 'suspended', ADMIN, /active/],
    ['a revoked domain', 'revoked', ADMIN, /active/],
    ['a removed domain', null, ADMIN, /active/],
    ["a user's domain", 'active', accountWith(), /admin/],
    ["a suspended admin's domain", 'active', { ...ADMIN, suspended }, /admin/],
    ["a leaving admin's domain", 'active', { ...ADMIN, deletesAt: new Date(8e12) }, /admin/],
    ['a domain without owner', 'active', null, /admin/],
  ])('with %s is allowed or rejected', (_, status, account, objection) => {
    const found = sharingObjection(status && { status }, account);
    if (objection === null) expect(found).toBeNull();
    else expect(found).toMatch(objection);
  });
});
