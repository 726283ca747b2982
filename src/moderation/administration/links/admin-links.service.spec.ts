import { linkWith, shownLink } from '../../../../test/support/shared/domain-values';
import type { Link, LinkBlock } from '../../../stores/links/link';
import { UnknownLinkError } from '../../../stores/links/link.errors';
import { SearchTooLongError } from '../action/administration.errors';
import { AdminLinksService } from './admin-links.service';

const ADMIN = { id: 'c'.repeat(24), via: 'app' } as const;
const OWNER = 'a'.repeat(24);
const OPEN = linkWith({ alias: 'domain/spring', ownerId: OWNER });
const blockedBy = (by: LinkBlock['by'], reason: string): Link => ({
  ...OPEN,
  blocked: { by, reason, at: new Date(0) },
});
const QUERY = { page: 1, pageSize: 20 };

describe("An admin's actions on links", () => {
  let before: Link;
  let isRemoved: boolean;
  const transition = (link: Link) => () => Promise.resolve({ before, link });
  const search = jest.fn<Promise<object>, [object, ...unknown[]]>(() =>
    Promise.resolve({ links: [OPEN], total: 21 }),
  );
  const add = jest.fn();
  const links = new AdminLinksService(
    { findById: (id: string) => Promise.resolve(id === 'x' ? null : before) } as never,
    { search } as never,
    {
      findByEmail: (email: string) =>
        Promise.resolve(email.startsWith('ada') ? { id: OWNER } : null),
      findEmails: () => Promise.resolve(new Map([[OWNER, 'ada@example.com']])),
    } as never,
    { block: transition(blockedBy('admin', 'Spam')), unblock: transition(OPEN) } as never,
    {
      removeMany: (_: unknown, __: unknown, removed: Map<string, string>) => {
        if (isRemoved) removed.set(before.id, before.alias);
        return Promise.resolve();
      },
    } as never,
    { toItems: (found: Link[]) => Promise.resolve(found.map(shownLink)) } as never,
    { add } as never,
    { openCounts: () => Promise.resolve(new Map([[OPEN.id, 2]])) } as never,
  );

  beforeEach(() => {
    jest.clearAllMocks();
    [before, isRemoved] = [OPEN, true];
  });

  it.each<[string, Link, number]>([
    ['an open link', OPEN, 1],
    ['a link that is blocked for another reason', blockedBy('admin', 'Malware'), 1],
    ['a link that a list has blocked', blockedBy('list', 'Spam'), 1],
    ['a link that is blocked for the same reason', blockedBy('admin', 'Spam'), 0],
  ])('record the block of %s', async (_, link, entries) => {
    before = link;
    expect(await links.block('l', 'Spam', ADMIN)).toMatchObject({ status: 'BLOCKED' });
    expect(add).toHaveBeenCalledTimes(entries);
  });

  it.each<[string, Link, object[]]>([
    [
      'a blocked link',
      blockedBy('list', 'Spam'),
      [{ act: 'url.unblock', before: { status: 'BLOCKED' }, after: { status: 'ACTIVE' } }],
    ],
    ['an open link', OPEN, []],
  ])('record that %s was unblocked only if it was blocked', async (_, link, entries) => {
    before = link;
    await links.unblock('l', null, ADMIN);
    expect(add.mock.calls).toEqual(entries.map((entry) => [expect.objectContaining(entry)]));
  });

  it('record a removal with the alias, without the domain', async () => {
    expect(await links.remove('l', 'Spam', ADMIN)).toEqual({ message: 'URL deleted', id: 'l' });
    expect(add).toHaveBeenCalledWith(
      expect.objectContaining({
        ...{ act: 'url.delete', before: { status: 'ACTIVE' }, after: null },
        subject: { kind: 'url', id: OPEN.id, alias: 'spring' },
      }),
    );
  });

  it('record no removal if a concurrent request removed the link', async () => {
    isRemoved = false;
    await expect(links.remove('l', null, ADMIN)).rejects.toThrow(UnknownLinkError);
    await expect(links.remove('x', null, ADMIN)).rejects.toThrow(UnknownLinkError);
    expect(add).not.toHaveBeenCalled();
  });

  it.each<[string, object, object | null]>([
    ['nothing', {}, { text: undefined, host: undefined, ownerId: undefined }],
    ['empty texts', { search: '', host: '', owner: '' }, { text: undefined, host: undefined }],
    ['a host in any spelling', { host: 'GO.example.com.' }, { host: 'go.example.com' }],
    ['an owner by id', { owner: OWNER.toUpperCase() }, { ownerId: OWNER }],
    ['an owner by email', { owner: 'Ada@EXAMPLE.com' }, { ownerId: OWNER }],
    ['an unknown email', { owner: 'bob@example.com' }, null],
    ['a text that is not an email', { owner: 'bob' }, null],
  ])('search by %s', async (_, query, criteria) => {
    const found = await links.search({ ...QUERY, ...query });
    if (criteria === null) expect(found).toMatchObject({ items: [], total: 0, hasNext: false });
    else expect(search.mock.calls[0]?.[0]).toMatchObject(criteria);
    expect(search).toHaveBeenCalledTimes(Number(criteria !== null));
  });

  it('return the owner, hosts and open reports', async () => {
    const { items, hasNext } = await links.search(QUERY);
    expect(hasNext).toBe(true);
    expect(items).toMatchObject([
      {
        ...{ owner: { id: OWNER, email: 'ada@example.com' }, open_reports: 2 },
        ...{ destination_hosts: ['example.com'], list_exempt: false },
      },
    ]);
  });

  it('report a search that takes too long', async () => {
    search.mockRejectedValueOnce(Object.assign(new Error('time'), { code: 50 }));
    await expect(links.search(QUERY as never)).rejects.toThrow(SearchTooLongError);
    search.mockRejectedValueOnce(new Error('broken'));
    await expect(links.search(QUERY as never)).rejects.toThrow('broken');
  });
});
