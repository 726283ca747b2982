import { StateRefusedError } from '../providers/oauth.errors';
import type { AttemptPurpose } from './state';
import { StatesService } from './states.service';

const NOW = new Date('2030-01-01T00:00:00Z');
const PURPOSE: AttemptPurpose = { next: '/stats', link: null };

interface Stored {
  readonly provider: string;
  readonly state: string;
  readonly browser: string;
}

describe('The state of a sign-in', () => {
  const stored = new Map<string, AttemptPurpose>();
  const insert = jest.fn<Promise<void>, [Stored, AttemptPurpose, Date]>((key, purpose) => {
    stored.set(JSON.stringify(Object.values(key)), purpose);
    return Promise.resolve();
  });
  const open = (secret = 'secret') =>
    new StatesService(
      {
        insert,
        takeAttempt: (key: Stored) =>
          Promise.resolve(stored.get(JSON.stringify(Object.values(key))) ?? null),
      } as never,
      { secret },
    );

  beforeEach(() => {
    jest.clearAllMocks();
    jest.useFakeTimers({ now: NOW });
    stored.clear();
  });
  afterEach(() => jest.useRealTimers());

  it('returns with its purpose and the proof from its beginning', async () => {
    const { proof, browser } = await open().begin('google', PURPOSE, null);
    expect([proof.state, browser]).toEqual([
      expect.stringMatching(/^[\w-]{43}$/),
      expect.stringMatching(/^[\w-]{43}$/),
    ]);
    const attempt = await open().takeAttempt('google', proof.state, browser);
    expect(attempt).toEqual({ ...PURPOSE, proof });
  });

  it('expires after ten minutes', async () => {
    await open().begin('google', PURPOSE, null);
    expect(insert.mock.calls[0]?.[2]).toEqual(new Date(NOW.getTime() + 600_000));
  });

  it('is bound to the browser, and all tabs of the browser share the binding', async () => {
    const first = await open().begin('google', PURPOSE, 'browser');
    const second = await open().begin('google', PURPOSE, 'browser');
    expect([first.browser, second.browser]).toEqual(['browser', 'browser']);
    expect(second.proof.state).not.toBe(first.proof.state);
  });

  it('has a verifier and a nonce that are derived from the secret and not stored', async () => {
    const { proof, browser } = await open().begin('google', PURPOSE, null);
    const written = JSON.stringify(insert.mock.calls);
    for (const value of [proof.codeVerifier, proof.nonce]) expect(written).not.toContain(value);
    expect(proof.codeVerifier).not.toBe(proof.nonce);
    const other = await open('another secret').takeAttempt('google', proof.state, browser);
    expect(other.proof).not.toEqual(proof);
  });

  it.each<[string, (state: string, browser: string) => [string, string | null, string | null]]>([
    ['of another provider', (state, browser) => ['oidc', state, browser]],
    ['that is unknown', (_, browser) => ['google', 'x'.repeat(43), browser]],
    ['that is missing', (_, browser) => ['google', null, browser]],
    ['in another browser', (state) => ['google', state, 'y'.repeat(43)]],
    ['in a browser without a mark', (state) => ['google', state, null]],
  ])('is rejected %s', async (_, presented) => {
    const { proof, browser } = await open().begin('google', PURPOSE, null);
    const [provider, state, from] = presented(proof.state, browser);
    const attempt = open().takeAttempt(provider as 'google', state, from);
    await expect(attempt).rejects.toThrow(StateRefusedError);
  });
});
