import { principalWith } from '../../test/support/shared/domain-values';
import type { Domain, DomainChange, DomainStatus } from '../stores/domains/domain';
import {
  DomainCapError,
  DomainHasBlockedLinksError,
  DomainHasLinksError,
  DomainKnownError,
  DomainNameError,
  DomainNotActiveError,
  DomainNotRevokedError,
  DomainRevokedError,
  DomainSharedError,
  MAX_CASCADE,
  MAX_DOMAINS,
  SharingRefusedError,
  TooManyDomainLinksError,
  UnknownDomainError,
} from './domains.errors';
import { DomainsService } from './domains.service';

const CALLER = principalWith();
const DOMAIN: Domain = {
  ...{ id: 'd', ownerId: CALLER.ownerId, fqdn: 'go.example.com', token: 't', isDefault: false },
  ...{ rootRedirect: null, notFoundRedirect: null, robots: null, appLinks: null, dns: null },
  ...{ createdAt: new Date(0), updatedAt: new Date(0), lastVerifiedAt: null, failingSince: null },
  ...{ error: null, revision: 0, status: 'active', isShared: false, wasShared: false },
};
const withStatus = (status: DomainStatus): Domain => ({ ...DOMAIN, status });
const places = (count: number) => new Set(Array.from({ length: count }, (_, i) => i));
type ErrorClass = new (...args: never[]) => Error;

describe('The domains of an account', () => {
  let stored: Domain | null;
  let counts: { all: number; changeable: number };
  let taken: Set<number>;
  const insert = jest.fn<Promise<Domain | null>, unknown[]>();
  const revive = jest.fn<Promise<Domain | null>, unknown[]>();
  const change = jest.fn<Promise<Domain | null>, [string, string, DomainChange]>();
  const clearDefault = jest.fn<Promise<Domain | null>, []>(() => Promise.resolve(null));
  const revoke = jest.fn(() => Promise.resolve(stored));
  const removeUnproved = jest.fn();
  const removeRevoked = jest.fn(() => Promise.resolve(true));
  const tellChange = jest.fn();
  const tellRemoval = jest.fn();
  const check = jest.fn<Promise<Domain | null>, []>(() => Promise.resolve(stored));
  const removeMany = jest.fn((links: string[], _: string, removed: Map<string, string>) => {
    for (const link of links.slice(1)) removed.set(link, link);
    return Promise.resolve();
  });
  const setShared = jest.fn((domain: Domain, isShared: boolean) =>
    Promise.resolve({ ...domain, isShared }),
  );
  const domains = new DomainsService(
    {
      findOwn: () => Promise.resolve(stored),
      findOwnByName: () => Promise.resolve(stored),
      takenPlaces: () => Promise.resolve(taken),
      ...{ insert, revive, change, clearDefault, removeUnproved, removeRevoked },
      revokeUnshared: revoke,
    } as never,
    { tellChange, tellRemoval } as never,
    { check } as never,
    {
      countIn: (_: string, __: unknown, which: { isChangeable?: true; ownerId?: string } = {}) => {
        if (which.isChangeable) return Promise.resolve(counts.changeable);
        return Promise.resolve(which.ownerId === undefined ? counts.all : counts.all - 2);
      },
      findIn: () => Promise.resolve(Array.from({ length: counts.changeable }, (_, i) => `${i}`)),
    } as never,
    { removeMany } as never,
    { refuseBad: () => Promise.resolve() } as never,
    { set: setShared } as never,
    { publicAddresses: [] } as never,
    { secret: 's' },
    { baseUrl: 'https://base.test' } as never,
  );
  const create = (fqdn = 'go.example.com', isRepeated = false) =>
    domains.create(fqdn, CALLER, { id: 'new', isRepeated });

  beforeEach(() => {
    jest.clearAllMocks();
    [stored, counts, taken] = [null, { all: 0, changeable: 0 }, new Set()];
    insert.mockResolvedValue(withStatus('pending'));
    revive.mockResolvedValue(withStatus('pending'));
    change.mockImplementation((_, __, { isDefault }) =>
      Promise.resolve({ ...DOMAIN, isDefault: isDefault ?? false }),
    );
  });

  it.each<[string, string, Domain | null, ErrorClass]>([
    ['a text that is not a name', 'no name', null, DomainNameError],
    ['the host of the service', 'base.test', null, DomainNameError],
    ['a name below the host of the service', 'go.base.test', null, DomainNameError],
    ['a pending domain of the account', DOMAIN.fqdn, withStatus('pending'), DomainKnownError],
    ['an active domain of the account', DOMAIN.fqdn, DOMAIN, DomainKnownError],
  ])('cannot include %s', async (_, fqdn, before, error) => {
    stored = before;
    await expect(create(fqdn)).rejects.toThrow(error);
    expect([insert.mock.calls, revive.mock.calls]).toEqual([[], []]);
  });

  it('include a pending domain from an earlier attempt only once', async () => {
    stored = withStatus('pending');
    expect(await create(DOMAIN.fqdn, true)).toMatchObject({ id: 'd' });
    expect(insert).not.toHaveBeenCalled();
  });

  it.each<[string, Set<number>, number | null]>([
    ['in the first free place', new Set([0, 2]), 1],
    ['in the last place', places(MAX_DOMAINS - 1), MAX_DOMAINS - 1],
    ['in no place if all are taken', places(MAX_DOMAINS), null],
  ])('are ordered %s', async (_, takenPlaces, place) => {
    taken = takenPlaces;
    if (place === null) await expect(create()).rejects.toThrow(DomainCapError);
    else expect(await create()).toMatchObject({ id: 'd' });
    expect(insert.mock.calls.map(([, chosen]) => chosen)).toEqual(place === null ? [] : [place]);
    expect(tellChange).toHaveBeenCalledTimes(Number(place !== null));
  });

  it('have the same verification record each time the account adds the name', async () => {
    await create();
    await create();
    const [[first], [second]] = insert.mock.calls as [[Domain], [Domain]];
    expect(first.token).toMatch(/^[\da-f]{32}$/);
    expect(second.token).toBe(first.token);
  });

  it('are restored with their links if they were revoked', async () => {
    stored = withStatus('revoked');
    await create();
    expect(revive).toHaveBeenCalledWith('d', 0, expect.any(Date), expect.any(Date));
    expect(insert).not.toHaveBeenCalled();
  });

  it.each<[string, DomainChange, Partial<Domain>, object[], number]>([
    ['nothing', {}, {}, [], 0],
    ['nothing if it is the default already', { isDefault: true }, { isDefault: true }, [], 0],
    ['a setting', { robots: 'x' }, {}, [{ robots: 'x' }], 0],
    ['the default', { isDefault: true }, {}, [{ isDefault: true }], 1],
    [
      'the default, away from it',
      { isDefault: false },
      { isDefault: true },
      [{ isDefault: false }],
      0,
    ],
  ])('change %s', async (_, requested, traits, changes, cleared) => {
    stored = { ...DOMAIN, ...traits };
    await domains.update('d', requested, CALLER);
    expect(change.mock.calls.map(([, , given]) => given)).toEqual(changes);
    expect(clearDefault).toHaveBeenCalledTimes(cleared);
  });

  it.each<[string, Partial<Domain>, DomainChange, object | ErrorClass, boolean[]]>([
    ['stop being shared', { isShared: true }, { isShared: false }, { shared: false }, [false]],
    [
      'stop being shared while they are suspended',
      { isShared: true, status: 'suspended' },
      { isShared: false },
      { shared: false },
      [false],
    ],
    [
      'are not changed otherwise while they are suspended',
      { isShared: true, status: 'suspended' },
      { isShared: false, robots: 'x' },
      DomainNotActiveError,
      [],
    ],
    ['are not shared by their owner', {}, { isShared: true }, SharingRefusedError, []],
    ['stay shared', { isShared: true }, { isShared: true }, { shared: true }, [true]],
  ])('%s', async (_, traits, requested, expected, calls) => {
    stored = { ...DOMAIN, ...traits };
    const update = domains.update('d', requested, CALLER);
    if (typeof expected === 'function') {
      await expect(update).rejects.toThrow(expected as ErrorClass);
    } else expect(await update).toMatchObject(expected);
    expect(setShared.mock.calls.map(([, isShared]) => isShared)).toEqual(calls);
  });

  it("cannot be removed while they are shared, or permanently with other accounts' links", async () => {
    stored = { ...DOMAIN, isShared: true, wasShared: true };
    await expect(domains.remove('d', true, CALLER)).rejects.toThrow(DomainSharedError);
    expect([removeMany.mock.calls, revoke.mock.calls]).toEqual([[], []]);
    stored = { ...DOMAIN, status: 'revoked', wasShared: true };
    counts = { all: 3, changeable: 0 };
    const removal = domains.removeForGood('d', CALLER);
    await expect(removal).rejects.toThrow('Other accounts have 2 links on this domain');
    expect(await domains.show('d', CALLER)).toMatchObject({ links: 3, links_of_others: 2 });
  });

  it('cannot be removed if they are shared concurrently', async () => {
    stored = { ...DOMAIN, lastVerifiedAt: new Date(0) };
    revoke.mockImplementationOnce(() => {
      stored = { ...DOMAIN, isShared: true };
      return Promise.resolve(null);
    });
    await expect(domains.remove('d', false, CALLER)).rejects.toThrow(DomainSharedError);
    expect(tellChange).not.toHaveBeenCalled();
  });

  it('change the default in up to three attempts', async () => {
    stored = DOMAIN;
    change.mockResolvedValueOnce(null).mockResolvedValueOnce(null);
    expect(await domains.update('d', { isDefault: true }, CALLER)).toMatchObject({
      is_default: true,
    });
    change.mockResolvedValue(null);
    const lost = domains.update('d', { isDefault: true }, CALLER);
    await expect(lost).rejects.toThrow(DomainNotActiveError);
    expect(change).toHaveBeenCalledTimes(6);
  });

  it.each<DomainStatus>(['pending', 'suspended', 'revoked'])(
    'cannot be changed while they are %s',
    async (status) => {
      stored = withStatus(status);
      const update = domains.update('d', { robots: 'x' }, CALLER);
      await expect(update).rejects.toThrow(DomainNotActiveError);
    },
  );

  it('can be checked unless they are revoked', async () => {
    stored = withStatus('pending');
    check.mockResolvedValueOnce(DOMAIN);
    expect(await domains.verify('d', CALLER)).toMatchObject({ status: 'active' });
    stored = withStatus('revoked');
    await expect(domains.verify('d', CALLER)).rejects.toThrow(DomainRevokedError);
    expect(check).toHaveBeenCalledTimes(1);
  });

  it.each<[string, Date | null, boolean, number, object, number, number]>([
    ['deleted if they were never active', null, false, 3, { urls_deleted: 0 }, 1, 0],
    ['revoked if they were active', new Date(0), false, 3, { urls_deleted: 0 }, 0, 1],
    ['removed with their links on request', new Date(0), true, 3, { urls_deleted: 2 }, 0, 1],
    ['removed with no links on request', new Date(0), true, 0, { urls_deleted: 0 }, 0, 1],
  ])(
    'on a removal request, are %s',
    async (_, lastVerifiedAt, cascade, changeable, answer, deleted, revoked) => {
      stored = { ...DOMAIN, lastVerifiedAt };
      counts = { all: changeable, changeable };
      expect(await domains.remove('d', cascade, CALLER)).toMatchObject(answer);
      expect(removeUnproved).toHaveBeenCalledTimes(deleted);
      expect(revoke).toHaveBeenCalledTimes(revoked);
    },
  );

  it('are not removed if they have more links than one request can delete', async () => {
    stored = DOMAIN;
    counts = { all: MAX_CASCADE + 1, changeable: MAX_CASCADE + 1 };
    await expect(domains.remove('d', true, CALLER)).rejects.toThrow(TooManyDomainLinksError);
    expect([removeMany.mock.calls, revoke.mock.calls]).toEqual([[], []]);
  });

  it.each<[string, DomainStatus, number, number, ErrorClass | null]>([
    ['with links', 'revoked', 1, 1, DomainHasLinksError],
    ['with blocked links', 'revoked', 2, 0, DomainHasBlockedLinksError],
    ['before they are revoked', 'active', 0, 0, DomainNotRevokedError],
    ['without links', 'revoked', 0, 0, null],
  ])('%s can be removed permanently, or cannot', async (_, status, all, changeable, error) => {
    stored = withStatus(status);
    counts = { all, changeable };
    const removal = domains.removeForGood('d', CALLER);
    if (error === null) await removal;
    else await expect(removal).rejects.toThrow(error);
    expect(tellRemoval).toHaveBeenCalledTimes(Number(error === null));
  });

  it('are unknown if they belong to another account', async () => {
    for (const call of [
      () => domains.show('x', CALLER),
      () => domains.verify('x', CALLER),
      () => domains.update('x', {}, CALLER),
      () => domains.remove('x', false, CALLER),
      () => domains.removeForGood('x', CALLER),
    ]) {
      await expect(call()).rejects.toThrow(UnknownDomainError);
    }
  });
});
