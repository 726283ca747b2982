import { linkWith, principalWith } from '../../../test/support/shared/domain-values';
import { BackgroundTasks } from '../../common/background-tasks';
import { QuietLogger } from '../../../test/support/shared/quiet-logger';
import { UnknownLinkError } from '../../stores/links/link.errors';
import { UnknownLinkDomainError } from '../making/links.errors';
import { DeletedLinkCleanup, RemovalService } from './removal.service';

const CALLER = principalWith();
const LINKS = [linkWith({ alias: 'one' }), linkWith({ alias: 'two' })];

describe('The removal of links', () => {
  let isGone: boolean;
  let domain: { id: string } | null;
  const findOwnByName = jest.fn(() => Promise.resolve(domain));
  const removeMany = jest.fn(
    (links: typeof LINKS, _: string | null, removed: Map<string, string>) => {
      if (!isGone) for (const { id, alias } of links) removed.set(id, alias);
      return Promise.resolve();
    },
  );
  const findIn = jest.fn<Promise<typeof LINKS>, unknown[]>(() => Promise.resolve(LINKS));
  let others: { id: string; fqdn: string; ownerId: string }[];
  const countIn = jest.fn((id: string) => Promise.resolve(id === 'unused' ? 0 : 3));
  const removal = new RemovalService(
    { changeableLink: () => Promise.resolve(LINKS[0]) } as never,
    { findIn, countIn } as never,
    { removeUnblocked: removeMany } as never,
    { findOwnByName } as never,
    { usedBy: () => others } as never,
  );

  beforeEach(() => {
    jest.clearAllMocks();
    isGone = false;
    domain = { id: 'd' };
    others = [];
  });

  it('returns the id of the removed link', async () => {
    expect(await removal.remove('x', CALLER)).toMatchObject({ id: LINKS[0]?.id });
  });

  it('returns 404 for a link that a concurrent request removed', async () => {
    isGone = true;
    await expect(removal.remove('x', CALLER)).rejects.toThrow(UnknownLinkError);
  });

  it('of a domain returns how many links were removed and how many remain', async () => {
    const answer = await removal.removeOfDomain('Go.EXAMPLE.com.', CALLER);
    expect(answer).toMatchObject({ count: 2, domain: 'go.example.com', remaining: 3 });
    expect(findOwnByName).toHaveBeenCalledWith('go.example.com', CALLER.ownerId);
  });

  it('includes other domains with the name on which the account has links, and no others', async () => {
    domain = null;
    const shared = { fqdn: 'go.example.com', ownerId: 'other' };
    others = [
      { ...shared, id: 'shared' },
      { ...shared, id: 'unused' },
      { ...shared, id: 'elsewhere', fqdn: 'elsewhere.example.com' },
    ];
    await removal.removeOfDomain('go.example.com', CALLER);
    expect(findIn.mock.calls).toEqual([
      ['shared', 1000, { isChangeable: true, ownerId: CALLER.ownerId }],
    ]);
    others = others.slice(1);
    const unknown = removal.removeOfDomain('go.example.com', CALLER);
    await expect(unknown).rejects.toThrow(UnknownLinkDomainError);
  });

  it('of an empty domain removes nothing, and of an unknown domain returns 404', async () => {
    findIn.mockResolvedValueOnce([]);
    expect(await removal.removeOfDomain('go.example.com', CALLER)).toMatchObject({ count: 0 });
    domain = null;
    const unknown = removal.removeOfDomain('go.example.com', CALLER);
    await expect(unknown).rejects.toThrow(UnknownLinkDomainError);
    expect(removeMany).not.toHaveBeenCalled();
  });
});

describe('The cleanup after removed links', () => {
  it('deletes data of missing links only, and then every note, until no note remains', async () => {
    const noted = [['gone', 'kept'], ['late'], []];
    const steps: [string, readonly string[]][] = [];
    const step = (name: string) => (ids: readonly string[]) => {
      steps.push([name, ids]);
      return Promise.resolve();
    };
    const notedBefore = jest.fn<Promise<string[]>, [Date]>(() =>
      Promise.resolve(noted.shift() ?? []),
    );
    const cleanup = new DeletedLinkCleanup(
      { missing: (ids: string[]) => Promise.resolve(ids.filter((id) => id !== 'kept')) } as never,
      { notedBefore, forget: step('notes') } as never,
      { remove: step('clicks') } as never,
      { removeClicks: step('ClickHouse') } as never,
      { remove: step('counts') } as never,
      new BackgroundTasks(new QuietLogger()),
    );
    await cleanup.sweep(3_600_000);
    expect(steps).toEqual([
      ['clicks', ['gone']],
      ['ClickHouse', ['gone']],
      ['counts', ['gone']],
      ['notes', ['gone', 'kept']],
      ['clicks', ['late']],
      ['ClickHouse', ['late']],
      ['counts', ['late']],
      ['notes', ['late']],
    ]);
    expect(notedBefore).toHaveBeenCalledWith(new Date(0));
  });
});
