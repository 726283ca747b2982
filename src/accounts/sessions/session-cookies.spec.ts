import type { ExecutionContext } from '@nestjs/common';
import { lastValueFrom, of, throwError } from 'rxjs';
import type { HttpOptions } from '../../config/options';
import { AccountGoneError, RefreshRefusedError } from '../account/accounts.errors';
import { SessionAnswer } from './session';
import { RefreshOriginGuard, SessionCookies } from './session-cookies';

const SHARED = { httpOnly: true, secure: true, sameSite: 'lax' };
const options = {
  cookieSecure: true,
  baseUrl: 'https://short.example',
  corsOrigins: [],
} as unknown as HttpOptions;

type Set = [name: string, value: string, attributes: object];

function context(set: Set[], request: object = {}): ExecutionContext {
  const response = { cookie: (...cookie: Set) => set.push(cookie) };
  return {
    switchToHttp: () => ({ getRequest: () => request, getResponse: () => response }),
  } as unknown as ExecutionContext;
}

async function answer(result: unknown): Promise<{ set: Set[]; body: unknown }> {
  const set: Set[] = [];
  const handle = () => (result instanceof Error ? throwError(() => result) : of(result));
  const answered = new SessionCookies(options).intercept(context(set), { handle });
  const body: unknown = await lastValueFrom(answered).catch((error: unknown) => error);
  return { set, body };
}

describe('The cookies of a session', () => {
  const session = { accessToken: 'a', refreshToken: 'r', device: null };

  it('are the two tokens, and a device cookie for one year if a password was checked', async () => {
    const { set, body } = await answer(new SessionAnswer('body', { ...session, device: 'd' }));
    expect(body).toBe('body');
    expect(set).toEqual([
      ['access_token', 'a', { ...SHARED, maxAge: 900_000, path: '/' }],
      ['refresh_token', 'r', { ...SHARED, maxAge: 2_592_000_000, path: '/' }],
      ['device', 'd', { ...SHARED, maxAge: 365 * 86_400_000, path: '/auth' }],
      ['device', 'd', { ...SHARED, maxAge: 365 * 86_400_000, path: '/login' }],
    ]);
  });

  it('do not include a new device cookie when a session is refreshed or ends', async () => {
    const names = async (given: unknown) => (await answer(given)).set.map(([name]) => name);
    expect(await names(new SessionAnswer('', session))).toEqual(['access_token', 'refresh_token']);
    expect(await names(new SessionAnswer('', null))).toEqual(['access_token', 'refresh_token']);
  });

  it.each([new SessionAnswer('bye', null), new RefreshRefusedError()])(
    'are cleared by a sign-out and by a rejected refresh (%#)',
    async (result) => {
      const { set } = await answer(result);
      expect(set).toEqual([
        ['access_token', '', { ...SHARED, maxAge: 0, path: '/' }],
        ['refresh_token', '', { ...SHARED, maxAge: 0, path: '/' }],
      ]);
    },
  );

  it('are not changed by any other response', async () => {
    const gone = new AccountGoneError();
    expect(await answer(gone)).toEqual({ set: [], body: gone });
    expect(await answer({ plain: true })).toEqual({ set: [], body: { plain: true } });
  });
});

describe('The refresh cookie', () => {
  it("is rejected only if the request comes from another site's page", () => {
    const guard = new RefreshOriginGuard(options);
    const from = (origin: string, cookie?: string) =>
      guard.canActivate(context([], { method: 'POST', headers: { origin, cookie } }));
    expect(() => from('https://evil.example', 'refresh_token=r')).toThrow('This origin');
    expect(from('https://short.example', 'refresh_token=r')).toBe(true);
    expect(from('https://evil.example')).toBe(true);
  });
});
