import { linkWith, principalWith } from '../../../test/support/shared/domain-values';
import { EmailNotVerifiedError } from '../../auth/access.errors';
import { Caller } from '../../auth/access';
import { AuthenticationError } from '../../common/errors';
import {
  AnonymousLinksClosedError,
  DestinationBlockedError,
  DestinationError,
} from '../../links/making/links.errors';
import type { AliasSource } from '../../links/making/alias';
import type { CreateLink } from '../../stores/links/link';
import { AliasTakenError } from '../../stores/links/link.errors';
import type { LegacyError } from '../request/legacy.errors';
import {
  AccountNeededError,
  AliasRefusedError,
  EmojiRefusedError,
  EmojiUrlMissingError,
  UrlBlockedError,
  UrlRefusedError,
} from './legacy-shorten.errors';
import { LegacyShortenService } from './legacy-shorten.service';

const URL_TEXT = 'https://example.com/';
const ANONYMOUS = new Caller(null);
const SIGNED_IN = new Caller(principalWith());
const CLIENT = {} as never;
type ErrorClass = new (...args: never[]) => Error;

describe('Shortening through the v0 API', () => {
  let taken: string[];
  const create = jest.fn<Promise<object>, [CreateLink, object, { aliases?: AliasSource }]>(
    ({ alias, longUrl }) =>
      Promise.resolve(linkWith({ id: 'l', alias: alias ?? 'abcdef', longUrl })),
  );
  const checkDestination = jest.fn<Promise<void>, [string]>(() => Promise.resolve());
  const demandOwner = jest.fn();
  const service = new LegacyShortenService(
    { create } as never,
    { checkDestination, demandOwner } as never,
    {
      findHolders: (aliases: readonly string[]) =>
        Promise.resolve(
          new Map(
            aliases.filter((alias) => taken.includes(alias)).map((alias) => [alias, linkWith()]),
          ),
        ),
    } as never,
    { baseUrl: 'https://base.test:8080' } as never,
  );
  const requestWith = (fields: Record<string, string>, wantsJson = true) => ({
    input: (field: string) => fields[field] ?? null,
    wantsJson,
  });
  const shorten = (fields: Record<string, string>, wantsJson = true, caller = ANONYMOUS) =>
    service.shorten(requestWith({ url: URL_TEXT, ...fields }, wantsJson), caller, CLIENT);
  const emoji = (fields: Record<string, string>) =>
    service.shortenToEmoji(requestWith(fields), ANONYMOUS, CLIENT);
  const created = () => create.mock.lastCall?.[0];

  beforeEach(() => {
    jest.clearAllMocks();
    checkDestination.mockReset();
    demandOwner.mockReset();
    taken = [];
  });

  it('returns the link to a program, without a claim token', async () => {
    const { result, claim } = await shorten({ alias: 'spring' });
    expect(result).toEqual({
      kind: 'json',
      body: {
        ...{ short_url: 'https://base.test:8080/spring', domain: 'base.test' },
        original_url: URL_TEXT,
      },
    });
    expect(claim).toBeNull();
  });

  it('redirects a browser to the result page, with a claim token', async () => {
    const { result, claim } = await shorten({ alias: 'spring' }, false);
    expect(result).toEqual({ kind: 'redirect', location: '/result/spring' });
    expect(claim).toEqual({ url_id: 'l', token: expect.stringMatching(/^[\w-]{43}$/) as string });
    expect((await shorten({}, false, SIGNED_IN)).claim).toBeNull();
  });

  it.each<[string, Record<string, string>, boolean, Caller, Partial<CreateLink>]>([
    ['without an owner', {}, true, ANONYMOUS, { ownerId: null, generation: 'v1' }],
    ['of an account', {}, true, SIGNED_IN, { ownerId: 'a'.repeat(24), generation: 'v2' }],
    [
      'with public statistics without an owner',
      { 'private-stats': 'true' },
      true,
      ANONYMOUS,
      { privateStats: false },
    ],
    ['with private statistics', { 'private-stats': 'on' }, true, SIGNED_IN, { privateStats: true }],
    [
      'with a long alias cut, for a program',
      { alias: 'a'.repeat(20) },
      true,
      ANONYMOUS,
      { alias: 'a'.repeat(16) },
    ],
    [
      'with the scheme that a person omitted',
      { url: 'example.com/x' },
      false,
      ANONYMOUS,
      { longUrl: 'https://example.com/x' },
    ],
    [
      'with its settings',
      { 'max-clicks': '3', 'block-bots': 'true' },
      true,
      ANONYMOUS,
      { maxClicks: 3, blockBots: true },
    ],
  ])('creates a link %s', async (_, fields, wantsJson, caller, expected) => {
    await shorten(fields, wantsJson, caller);
    expect(created()).toMatchObject(expected);
  });

  it('generates six characters without an account, and seven with one', async () => {
    await shorten({});
    expect(create.mock.lastCall?.[2].aliases?.next()).toMatch(/^[A-Za-z0-9]{6}$/);
    await shorten({}, true, SIGNED_IN);
    expect(create.mock.lastCall?.[2].aliases).toBeUndefined();
  });

  it.each<[string, Record<string, string>, ErrorClass]>([
    ['without an address', { url: '' }, UrlRefusedError],
    ['for a long address', { url: `${URL_TEXT}${'x'.repeat(2100)}` }, UrlRefusedError],
    ['with a short alias', { alias: 'ab' }, AliasRefusedError],
    ['with an alias of other characters', { alias: 'a b c' }, AliasRefusedError],
    ['with a reserved alias', { alias: 'stats' }, AliasRefusedError],
    ['with a taken alias', { alias: 'used' }, AliasRefusedError],
  ])('creates no link %s', async (_, fields, error) => {
    taken = ['used'];
    await expect(shorten(fields)).rejects.toThrow(error);
    expect(create).not.toHaveBeenCalled();
  });

  it.each<[string, Error, ErrorClass, RegExp]>([
    [
      'without a scheme',
      new DestinationError('no scheme'),
      UrlRefusedError,
      /must begin with http/,
    ],
    [
      'of this service',
      new DestinationError('loop'),
      UrlRefusedError,
      /leads to this service itself/,
    ],
    ['that is unreadable', new DestinationError('unreadable'), UrlRefusedError, /is not valid/],
    [
      'that is blocked',
      new DestinationBlockedError('blocked'),
      UrlBlockedError,
      /not allowed here/,
    ],
  ])('explains an address %s in the v0 format', async (_, thrown, error, message) => {
    checkDestination.mockRejectedValue(thrown);
    await expect(shorten({})).rejects.toThrow(error);
    await expect(shorten({})).rejects.toThrow(message);
  });

  it('reports the first problem to a program, and all problems to a person', async () => {
    const fields = { url: '', alias: 'ab', 'max-clicks': '0' };
    const thrown = (wantsJson: boolean) =>
      shorten(fields, wantsJson).catch((error: unknown) => error as LegacyError);
    const [program, person] = [await thrown(true), await thrown(false)] as [
      LegacyError,
      LegacyError,
    ];
    expect([program.others, person.others.map(({ name }) => name)]).toEqual([
      [],
      ['AliasRefusedError', 'MaxClicksRefusedError'],
    ]);
  });

  it('rejects a long alias from a person, because it might be in print', async () => {
    await expect(shorten({ alias: 'a'.repeat(20) }, false)).rejects.toThrow(/has 20 characters/);
  });

  it('reports that an alias was taken concurrently', async () => {
    create.mockRejectedValueOnce(new AliasTakenError('spring'));
    await expect(shorten({ alias: 'spring' })).rejects.toThrow(/^Alias already exists/);
  });

  it.each<[string, Caller, (() => void) | null, ErrorClass]>([
    [
      'with an ended session',
      new Caller(null, new AuthenticationError()),
      null,
      AuthenticationError,
    ],
    [
      'without a verified email',
      new Caller(principalWith({ emailVerified: false })),
      null,
      EmailNotVerifiedError,
    ],
    [
      'without a required account',
      ANONYMOUS,
      () => {
        throw new AnonymousLinksClosedError();
      },
      AccountNeededError,
    ],
  ])('rejects a caller %s before it checks any input', async (_, caller, demand, error) => {
    if (demand !== null) demandOwner.mockImplementation(demand);
    await expect(shorten({ url: '' }, true, caller)).rejects.toThrow(error);
    expect(checkDestination).not.toHaveBeenCalled();
  });

  it.each<[string, Record<string, string>, ErrorClass | null]>([
    ['with emoji', { url: URL_TEXT, emojies: '🎉🎈' }, null],
    ['with generated emoji', { url: URL_TEXT }, null],
    ['without an address', { emojies: '🎉' }, EmojiUrlMissingError],
    ['with letters', { url: URL_TEXT, emojies: 'abc' }, EmojiRefusedError],
    ['with emoji that are taken', { url: URL_TEXT, emojies: '🎁' }, EmojiRefusedError],
  ])('creates an emoji link %s, or rejects it', async (_, fields, error) => {
    taken = ['🎁'];
    if (error === null) expect((await emoji(fields)).result.kind).toBe('json');
    else await expect(emoji(fields)).rejects.toThrow(error);
    expect(create).toHaveBeenCalledTimes(Number(error === null));
  });
});
