import { linkWith, principalWith } from '../../../test/support/shared/domain-values';
import { QuietLogger } from '../../../test/support/shared/quiet-logger';
import { UnprocessableError } from '../../common/errors';
import { AliasTakenError, UnknownLinkError } from '../../stores/links/link.errors';
import {
  type CreateLink,
  DEFAULT_SETTINGS,
  type Link,
  type LinkChange,
  type LinkUpdate,
  type NewLink,
} from '../../stores/links/link';
import { TaggedUrlTooLongError, TemplateNeedsAccountError } from '../utm/utm.errors';
import {
  AliasesExhaustedError,
  AnonymousLinksClosedError,
  DestinationBlockedError,
  DestinationError,
  DomainUnusableError,
  LinkBlockedError,
  LinkNotYoursError,
} from './links.errors';
import { LinkValidationService } from './link-validation.service';
import { awaitsQuota, LinksService } from './links.service';

const CALLER = principalWith();
const OWNER = CALLER.ownerId;
const CLIENT = {} as never;
const URL_TEXT = 'https://example.com/';
const DOMAIN = { id: 'd', fqdn: 'go.example.com', status: 'active', ownerId: OWNER } as const;
type ErrorClass = new (...args: never[]) => Error;

describe('Links', () => {
  let stored: Link | null;
  let taken: string[];
  let anonymousLinks: boolean;
  let defaultDomain: typeof DOMAIN | undefined;
  const insertMany = jest.fn((links: NewLink[]) =>
    Promise.resolve(
      links.map(({ alias, longUrl, ownerId }) =>
        taken.includes(alias) ? new AliasTakenError(alias) : linkWith({ alias, longUrl, ownerId }),
      ),
    ),
  );
  const change = jest.fn<Promise<Link | null>, [Link, LinkChange]>();
  const findNewest = jest.fn<Promise<Link | null>, []>();
  const activateQuota = jest.fn<Promise<Link | null>, []>();
  const invalidate = jest.fn();
  const idsFor = jest.fn((_: string, names: readonly string[]) => Promise.resolve([...names]));
  const judge = jest.fn((url: string) =>
    Promise.resolve(url.includes('bad') ? 'blocked' : 'allowed'),
  );
  const catchUp = jest.fn(() => Promise.resolve());
  const domains = {
    findDefault: () => defaultDomain,
    findActive: (_: string, name: string) => (name === DOMAIN.fqdn ? DOMAIN : undefined),
    // The account has taken over the domain on which it has older links.
    findById: (id: string) => ({ d: DOMAIN, old: { ...DOMAIN, id: 'old' } })[id],
    find: (name: string) => (name === DOMAIN.fqdn ? DOMAIN : undefined),
  } as never;
  const validation = () =>
    new LinkValidationService(
      { judge } as never,
      { findValues: () => Promise.resolve({ source: 'template', medium: 'email' }) } as never,
      domains,
      { baseUrl: 'https://base.test' } as never,
      { anonymousLinks } as never,
    );
  const open = () =>
    new LinksService(
      { insertMany, change, activateQuota } as never,
      {
        findById: () => Promise.resolve(stored),
        findHolders: (aliases: readonly string[]) =>
          Promise.resolve(
            new Map(
              aliases.filter((alias) => taken.includes(alias)).map((alias) => [alias, linkWith()]),
            ),
          ),
      } as never,
      { findNewest } as never,
      { invalidate } as never,
      { idsFor } as never,
      validation(),
      domains,
      { run: catchUp } as never,
      new QuietLogger(),
    );
  const input = (more: Partial<CreateLink> = {}): CreateLink => ({
    ...DEFAULT_SETTINGS,
    ...{ longUrl: URL_TEXT, ownerId: OWNER, generation: 'v2', ...more },
  });
  const create = (more: Partial<CreateLink> = {}, aliases = ['generated']) => {
    const source = { tries: aliases.length, next: () => aliases.shift() ?? '' };
    return open().createOrReuse(input(more), CLIENT, { aliases: source });
  };
  const update = (body: LinkUpdate) => open().update('l', body, CALLER, CLIENT);

  beforeEach(() => {
    jest.clearAllMocks();
    [stored, taken, anonymousLinks, defaultDomain] = [null, [], true, undefined];
    for (const mock of [change, findNewest, activateQuota]) mock.mockReset();
  });

  describe('are created', () => {
    it.each<[string, string[], string[], string | null]>([
      ['with the first free alias', ['one', 'two', 'three'], ['one', 'two'], 'three'],
      ['without a reserved alias', ['api', 'free'], [], 'free'],
      ['with no alias if none is free', ['one', 'two'], ['one', 'two'], null],
    ])('%s', async (_, aliases, inUse, alias) => {
      taken = inUse;
      const creation = create({}, aliases);
      if (alias === null) await expect(creation).rejects.toThrow(AliasesExhaustedError);
      else expect((await creation).link.alias).toBe(alias);
    });

    it.each<[string, Partial<CreateLink>, boolean, string]>([
      ['at BASE_URL', {}, false, 'generated'],
      ['on the default domain', {}, true, 'd/generated'],
      ['at BASE_URL on request', { domain: null }, true, 'generated'],
      ['on a requested domain', { domain: 'GO.example.com.', alias: 'spring' }, false, 'd/spring'],
      ['without an owner, at BASE_URL', { ownerId: null }, true, 'generated'],
    ])('%s', async (_, more, hasDefault, alias) => {
      defaultDomain = hasDefault ? DOMAIN : undefined;
      expect((await create(more)).link.alias).toBe(alias);
    });

    it.each<[string, Partial<CreateLink>, ErrorClass | object]>([
      ['for an address of this service', { longUrl: 'https://base.test/x' }, DestinationError],
      [
        'for an address on a domain of it',
        { longUrl: 'https://go.example.com/x' },
        DestinationError,
      ],
      ['for a blocked address', { longUrl: 'https://bad.example/' }, DestinationBlockedError],
      [
        'that lead to a blocked address at their end',
        { expiredRedirectUrl: 'https://bad.example/' },
        DestinationBlockedError,
      ],
      ['on an unknown domain', { domain: 'other.example' }, DomainUnusableError],
      [
        'on a domain without an account',
        { ownerId: null, domain: DOMAIN.fqdn },
        { field: 'domain' },
      ],
      ['with tags without an account', { ownerId: null, tagNames: ['a'] }, { field: 'tags' }],
      [
        'with a template without an account',
        { ownerId: null, utm: { template: 'x' } },
        TemplateNeedsAccountError,
      ],
      [
        'with a destination that UTM makes too long',
        { utm: { source: 'x'.repeat(2048) } },
        TaggedUrlTooLongError,
      ],
      [
        'with an alias that is taken, before its tags',
        { alias: 'used', tagNames: ['a'] },
        AliasTakenError,
      ],
    ])('not %s, and no tag is created', async (_, more, error) => {
      taken = ['used'];
      const expected =
        typeof error === 'function' ? error : (expect.objectContaining(error) as Error);
      await expect(create(more)).rejects.toThrow(expected as Error);
      expect([insertMany.mock.calls, idsFor.mock.calls]).toEqual([[], []]);
    });

    it('not without an account if the service requires one', async () => {
      anonymousLinks = false;
      await expect(create({ ownerId: null })).rejects.toThrow(AnonymousLinksClosedError);
      expect((await create()).link.alias).toBe('generated');
    });

    it.each<[string, Partial<CreateLink>, boolean]>([
      ['for an equal link, on request', { reuse: true }, true],
      ['not without a request', {}, false],
    ])('again %s', async (_, more, isReused) => {
      findNewest.mockResolvedValue(linkWith({ alias: 'equal' }));
      expect(await create(more)).toMatchObject({ isReused });
      expect(insertMany).toHaveBeenCalledTimes(Number(!isReused));
    });

    it('only once if a request is repeated', async () => {
      stored = linkWith({ alias: 'earlier' });
      const options = { chosen: { id: stored.id, isRepeated: true } };
      const { link } = await open().createOrReuse(input(), CLIENT, options);
      expect(link).toBe(stored);
      expect(insertMany).not.toHaveBeenCalled();
    });
  });

  describe('are changed', () => {
    beforeEach(() => {
      stored = linkWith({ id: 'l', alias: 'spring', ownerId: OWNER, longUrl: URL_TEXT });
      change.mockImplementation((link) => Promise.resolve(link));
    });
    const changes = () => change.mock.lastCall?.[1];

    it.each<[string, Link | null, ErrorClass]>([
      ['unknown', null, UnknownLinkError],
      ['of another account', linkWith({ ownerId: 'other' }), LinkNotYoursError],
      ['anonymous', linkWith(), LinkNotYoursError],
      [
        'blocked',
        linkWith({ ownerId: OWNER, blocked: { reason: 'Spam', at: new Date(), by: 'admin' } }),
        LinkBlockedError,
      ],
    ])('not if they are %s', async (_, link, error) => {
      stored = link;
      await expect(update({ title: 'x' })).rejects.toThrow(error);
      await expect(open().setStatus('l', 'INACTIVE', CALLER)).rejects.toThrow(error);
      expect(change).not.toHaveBeenCalled();
    });

    it.each<[string, LinkUpdate, Partial<LinkChange>]>([
      ['the alias', { alias: 'summer' }, { alias: 'summer' }],
      ['the domain', { domain: DOMAIN.fqdn }, { alias: 'd/spring' }],
      ['both', { domain: DOMAIN.fqdn, alias: 'summer' }, { alias: 'd/summer' }],
      ['the destination', { longUrl: 'https://b.test/' }, { longUrl: 'https://b.test/' }],
      ['the tags', { tagNames: ['a'] }, { tags: ['a'] }],
      [
        'the UTM values of the destination',
        { utm: { source: 'x' } },
        { longUrl: `${URL_TEXT}?utm_source=x` },
      ],
      [
        'UTM values from a template',
        { utm: { template: 't' } },
        { longUrl: `${URL_TEXT}?utm_source=template&utm_medium=email` },
      ],
    ])('in %s', async (_, body, expected) => {
      await update(body);
      expect(changes()).toMatchObject(expected);
    });

    it.each([
      ['old/spring', { domain: DOMAIN.fqdn }, 'd/spring'],
      ['old/spring', {}, undefined],
      ['d/spring', { domain: DOMAIN.fqdn }, 'd/spring'],
    ])('from %s by %j to %s', async (alias, body, expected) => {
      stored = linkWith({ id: 'l', alias, ownerId: OWNER, longUrl: URL_TEXT });
      await update(body);
      expect(changes()?.alias).toBe(expected);
    });

    it('but not in a destination that stays the same, even if it exceeds the limit', async () => {
      const longUrl = `${URL_TEXT}${'x'.repeat(3000)}`;
      stored = linkWith({ ownerId: OWNER, longUrl });
      await update({ longUrl });
      expect(changes()?.longUrl).toBeUndefined();
      await expect(update({ longUrl: `${longUrl}y` })).rejects.toThrow(UnprocessableError);
    });

    it('in up to twenty attempts if concurrent requests change them', async () => {
      change.mockResolvedValueOnce(null);
      await update({ title: 'x' });
      expect(change).toHaveBeenCalledTimes(2);
      change.mockResolvedValue(null);
      await expect(update({ title: 'x' })).rejects.toThrow(UnknownLinkError);
      expect(change).toHaveBeenCalledTimes(22);
    });

    it('and removed from the cache of every web process, under both aliases', async () => {
      change.mockResolvedValueOnce(linkWith({ alias: 'summer' }));
      await update({ alias: 'summer' });
      expect(invalidate).toHaveBeenCalledWith('spring', 'summer');
    });

    const WAITING = { quotaActiveFrom: new Date('2100-01-01'), maxClicks: 3 };

    it.each<[string, Partial<Link>, boolean, number]>([
      ['a first limit opens once earlier clicks are counted', WAITING, true, 1],
      ['a first limit opens later if counting fails', WAITING, false, 0],
      ['another limit is open at once', { maxClicks: 3 }, true, 0],
    ])('so that %s', async (_, after, isCounted, times) => {
      change.mockResolvedValueOnce(linkWith(after));
      if (!isCounted) catchUp.mockRejectedValueOnce(new Error('slow'));
      await update({ maxClicks: 3 });
      expect(activateQuota).toHaveBeenCalledTimes(times);
    });
  });

  it.each<[Partial<Link>, LinkChange, boolean]>([
    [{ quotaActiveFrom: new Date() }, { maxClicks: 3 }, true],
    [{ quotaActiveFrom: new Date() }, { maxClicks: null }, false],
    [{ quotaActiveFrom: new Date() }, {}, false],
    [{}, { maxClicks: 3 }, false],
  ])(
    'with %j wait until earlier clicks are counted after the change %j: %s',
    (traits, changed, waits) => {
      expect(awaitsQuota(linkWith(traits), changed)).toBe(waits);
    },
  );

  it.each<[string, string, string | undefined, string | null]>([
    ['a free alias', 'free', undefined, null],
    ['a taken alias', 'used', undefined, 'taken'],
    ['a reserved alias', 'api', undefined, 'reserved'],
    ['a short alias', 'ab', undefined, 'length'],
    ['an alias of other characters', 'a b c', undefined, 'format'],
    ['a reserved alias that is free on a domain', 'api', DOMAIN.fqdn, null],
    ['an alias that is taken on a domain', 'used', DOMAIN.fqdn, 'taken'],
  ])('can have %s: %s', async (_, alias, domain, reason) => {
    taken = ['used', 'd/used'];
    const answer = await open().checkAlias(alias, domain, OWNER);
    expect(answer).toEqual({ available: reason === null, reason });
  });
});
