import { linkWith } from '../../../test/support/shared/domain-values';
import { SIGNALS } from '../../engines/click-engine/chunk/click';
import type { Link } from '../../stores/links/link';
import { UnknownLinkError } from '../../stores/links/link.errors';
import { BotBlockedError, LinkGoneError } from '../redirect.errors';
import type { NextStep, Visit } from '../visit-steps';
import { LinkPasswordWrongError, NoPasswordNeededError } from './link-password.errors';
import { LinkPasswordService } from './link-password.service';

const VISIT = { at: 1000, begun: 0, counted: true, query: '', flags: 0 } as Visit;
const OVER = 'https://example.com/over';
const EXPIRED = { expireAfter: new Date(0), expiredRedirectUrl: OVER };
const TO_OVER = { url: OVER, outcome: 'expired' } as const;
const LOCKED = { passwordHash: 'hash' };

describe('A visit', () => {
  let link: Link | null;
  const verify = jest.fn<Promise<void>, []>();
  const redirect = jest.fn<Promise<void>, [Link, Visit, unknown, NextStep]>();
  const refused = jest.fn();
  const service = new LinkPasswordService(
    { find: () => Promise.resolve(link) } as never,
    { redirect } as never,
    { verify } as never,
    { refused } as never,
  );
  const visiting = (act: 'open' | 'submit', visit = VISIT) =>
    service[act]('code', null, {} as never, visit, jest.fn());
  const next = () => redirect.mock.calls.map(([, , , step]) => step);

  beforeEach(() => jest.resetAllMocks());

  it.each<['open' | 'submit', string, Partial<Link>, number, NextStep]>([
    ['open', 'a link without a password', {}, 0, 'click'],
    ['open', 'a link with a password', LOCKED, 1, 'click'],
    ['open', 'a link with a password and a limit', { ...LOCKED, maxClicks: 3 }, 1, 'slot'],
    ['open', 'an expired link with a password', { ...LOCKED, ...EXPIRED }, 0, TO_OVER],
    ['submit', 'a link with a password', LOCKED, 1, 'click'],
    ['submit', 'a link with a password and a limit', { ...LOCKED, maxClicks: 3 }, 1, 'slot'],
    ['submit', 'an expired link with a password', { ...LOCKED, ...EXPIRED }, 0, TO_OVER],
    ['submit', 'an expired link without a password', EXPIRED, 0, TO_OVER],
  ])('%s of %s checks the password before it uses up a click', async (...row) => {
    const [act, , traits, checks, step] = row;
    link = linkWith(traits);
    await visiting(act);
    expect(verify).toHaveBeenCalledTimes(checks);
    expect(next()).toEqual([step]);
  });

  it.each<['open' | 'submit', string, Partial<Link> | null, Visit, new (...a: never[]) => Error]>([
    ['open', 'an unknown link', null, VISIT, UnknownLinkError],
    ['submit', 'an unknown link', null, VISIT, UnknownLinkError],
    ['open', 'an inactive link', { ...LOCKED, status: 'INACTIVE' }, VISIT, LinkGoneError],
    ['submit', 'an inactive link', { ...LOCKED, status: 'INACTIVE' }, VISIT, LinkGoneError],
    ['submit', 'a link without a password', {}, VISIT, NoPasswordNeededError],
    [
      'open',
      'a link that blocks bots',
      { blockBots: true },
      { ...VISIT, flags: SIGNALS.prefetch },
      BotBlockedError,
    ],
  ])('%s of %s is rejected and counted as rejected', async (act, _, traits, visit, error) => {
    link = traits && linkWith(traits);
    await expect(visiting(act, visit)).rejects.toThrow(error);
    expect(refused).toHaveBeenCalledWith(expect.any(error));
    expect([verify.mock.calls, redirect.mock.calls]).toEqual([[], []]);
  });

  it.each(['open', 'submit'] as const)(
    '%s with a wrong password is not redirected',
    async (act) => {
      link = linkWith(LOCKED);
      verify.mockRejectedValueOnce(new LinkPasswordWrongError(link));
      await expect(visiting(act)).rejects.toThrow(LinkPasswordWrongError);
      expect(redirect).not.toHaveBeenCalled();
      expect(refused).toHaveBeenCalledTimes(1);
    },
  );
});
