import { accountWith, principalWith } from '../../test/support/shared/domain-values';
import { SessionEndedError } from '../accounts/account/accounts.errors';
import type { SignInOrigin } from '../accounts/sessions/session';
import { CallbackParameters, OauthService } from './oauth.service';
import { ProviderFailedError, SignInDeniedError } from './providers/oauth.errors';
import type { LinkTarget } from './states/state';

const ORIGIN = { client: {} } as SignInOrigin;

describe('The query at the callback path', () => {
  it.each([
    ['/callback?state=x', 'x'],
    ['/callback', null],
    ['/callback?state=', null],
    ['/callback?state=x&state=x', null],
    ['/callback?state=x?y', 'x?y'],
  ])('%s has the state %j', (url, state) => {
    expect(new CallbackParameters(url).readOnce('state')).toBe(state);
  });
});

describe('A sign-in', () => {
  let link: LinkTarget | null;
  let account = accountWith();
  const authorizationUrl = jest.fn(() => Promise.resolve('https://google.test/auth'));
  const profile = jest.fn(() => Promise.resolve({}));
  const begin = jest.fn<Promise<object>, [string, object, string | null]>(() =>
    Promise.resolve({ proof: {}, browser: 'b' }),
  );
  const accountFor = jest.fn(() => Promise.resolve(account));
  const linking = jest.fn(() => Promise.resolve(account));
  const failed = jest.fn();
  const grantIfListed = jest.fn();
  const service = new OauthService(
    { demand: () => ({ name: 'google', title: 'Google', authorizationUrl, profile }) } as never,
    {
      begin,
      takeAttempt: () => Promise.resolve({ next: '/stats', link, proof: {} }),
    } as never,
    { demand: () => Promise.resolve(account) } as never,
    { accountFor } as never,
    { link: linking } as never,
    { start: () => Promise.resolve({}) } as never,
    { failed } as never,
    { grantIfListed } as never,
  );
  const finish = (query: string) =>
    service.finish('google', new CallbackParameters(`/x?${query}`), 'b', ORIGIN);

  beforeEach(() => {
    jest.clearAllMocks();
    [link, account] = [null, accountWith()];
  });

  it.each<[string, unknown, string]>([
    ['a path of this service', '/stats?x=1', '/stats?x=1'],
    ['the dashboard instead of another site', '//evil.example', '/dashboard'],
    ['the dashboard instead of a short link', '/spring', '/dashboard'],
    ['the dashboard without a path', undefined, '/dashboard'],
  ])('redirects to %s', async (_, next, path) => {
    await service.startSignIn('google', next, null);
    expect(begin).toHaveBeenCalledWith('google', { next: path, link: null }, null);
  });

  it('that links a provider is bound to the session that began it', async () => {
    await service.startLink('google', '/stats', principalWith({ sessionId: 's' }), 'b');
    const target = { userId: account.id, sessionEpoch: 0, sessionId: 's' };
    expect(begin).toHaveBeenCalledWith('google', { next: '/stats', link: target }, 'b');
    const byKey = service.startLink('google', '/', principalWith({ sessionId: null }), 'b');
    await expect(byKey).rejects.toThrow(SessionEndedError);
  });

  const TARGET = { userId: 'a', sessionEpoch: 0, sessionId: 's' };

  it.each<[string, LinkTarget | null, boolean, string, number]>([
    ['a verified account returns to its path', null, true, '/stats', 1],
    ['an unverified account must verify its email first', null, false, '/register/verify', 1],
    ['a link returns to its path in any case', TARGET, false, '/stats', 0],
  ])('of %s', async (_, target, emailVerified, url, signIns) => {
    [link, account] = [target, accountWith({ emailVerified })];
    expect((await finish('code=1&state=x')).body).toEqual({ url });
    expect(accountFor).toHaveBeenCalledTimes(signIns);
    expect(linking).toHaveBeenCalledTimes(1 - signIns);
    expect(grantIfListed).toHaveBeenCalledWith(account);
  });

  it.each([
    ['an error', 'error=access_denied&state=x', /\(access_denied\)/],
    ['an error alongside a code', 'error=x&code=1&state=x', /did not complete/],
    ['an error with hostile text', 'error=%3Cscript%3E&state=x', /did not complete the sign-in$/],
    ['no code', 'state=x', /did not complete/],
    ['two codes', 'code=1&code=2&state=x', /did not complete/],
  ])('is denied after %s, and logged', async (_, query, message) => {
    await expect(finish(query)).rejects.toThrow(SignInDeniedError);
    await expect(finish(query)).rejects.toThrow(message);
    expect(failed).toHaveBeenCalledTimes(2);
    expect([profile.mock.calls, accountFor.mock.calls]).toEqual([[], []]);
  });

  it('fails if the provider fails, before or after the redirect', async () => {
    authorizationUrl.mockRejectedValueOnce(new Error('down'));
    await expect(service.startSignIn('google', '/', null)).rejects.toThrow(ProviderFailedError);
    profile.mockRejectedValueOnce(new Error('down'));
    await expect(finish('code=1&state=x')).rejects.toThrow(ProviderFailedError);
    expect(accountFor).not.toHaveBeenCalled();
  });
});
