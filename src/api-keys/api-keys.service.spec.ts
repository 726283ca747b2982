import { randomBytes } from 'node:crypto';
import type { AccountMailsService } from '../accounts/mails/account-mails.service';
import { type ApiKey, digestOfKey, toKeyText } from './api-key';
import { ApiKeysService } from './api-keys.service';
import type { ApiKeysRepository } from './api-keys.repository';

const NOW = new Date('2026-01-02T03:04:05Z');
const HOUR = 3_600_000;
const at = (offset: number) => new Date(NOW.getTime() + offset);

const KEY: ApiKey = {
  id: 'k',
  ownerId: 'o',
  name: 'a key',
  description: null,
  scopes: ['urls:read'],
  prefix: 'abcdefgh',
  createdAt: at(-24 * HOUR),
  expiresAt: null,
  revoked: false,
  lastUsedAt: null,
};

describe('An API key in a request', () => {
  const text = toKeyText(randomBytes(32));
  const noteUse = jest.fn();

  /** Stores a key with these fields, and identifies it by this text. */
  function identify(traits: Partial<ApiKey> | null, presented = text): Promise<ApiKey | string> {
    const stored = traits === null ? null : { ...KEY, ...traits };
    const findByDigest = (digest: string) =>
      Promise.resolve(digest === digestOfKey(text) ? stored : null);
    const repository = { findByDigest, noteUse } as unknown as ApiKeysRepository;
    return new ApiKeysService(repository, {} as AccountMailsService).identify(presented);
  }

  beforeEach(() => {
    jest.useFakeTimers({ now: NOW });
    noteUse.mockReset();
  });
  afterEach(() => jest.useRealTimers());

  it.each([
    ['malformed', {}, 'svc_short', /malformed/],
    ['unknown', {}, toKeyText(randomBytes(32)), /unknown/],
    ['deleted', null, text, /unknown/],
    ['revoked', { revoked: true }, text, /revoked/],
    ['expired this moment', { expiresAt: NOW }, text, /expired/],
    ['revoked and expired', { revoked: true, expiresAt: at(-1) }, text, /revoked/],
  ])('is rejected when it is %s', async (_, traits, presented, reason) => {
    expect(await identify(traits, presented)).toMatch(reason);
    expect(noteUse).not.toHaveBeenCalled();
  });

  it('is valid until its last moment', async () => {
    expect(await identify({ expiresAt: at(1) })).toMatchObject({ id: 'k', scopes: ['urls:read'] });
  });

  it.each([
    [null, 1],
    [at(-HOUR), 1],
    [at(-HOUR + 1), 0],
  ])('last used at %j updates the stored time this many times: %i', async (lastUsedAt, times) => {
    await identify({ lastUsedAt });
    expect(noteUse).toHaveBeenCalledTimes(times);
  });
});
