import { accountWith } from '../../../test/support/shared/domain-values';
import { DAY_MS } from '../../common/time';
import type { Account } from '../account/account';
import { DeletionBegunError, SetupLinkError } from '../account/accounts.errors';
import { SignInLinksService } from './setup-links.service';

const ACTOR = { id: null, via: 'cli' } as const;

describe('Sign-in links', () => {
  let account: Account;
  const links = new SignInLinksService(
    { put: () => Promise.resolve(), isValid: () => Promise.resolve(true) } as never,
    { findById: () => Promise.resolve(account) } as never,
    { notify: () => undefined } as never,
    { add: () => Promise.resolve() } as never,
    { baseUrl: 'https://go.test' } as never,
  );
  const tokenOf = (link: string) => new URL(link).searchParams.get('token');

  it('work for accounts that their owners can still restore', async () => {
    account = accountWith({ deletesAt: new Date(Date.now() + DAY_MS) });
    const { link } = await links.issue(account, ACTOR);
    await expect(links.find(tokenOf(link))).resolves.toBe(account);
  });

  it('do not work once the deletion of the account has begun', async () => {
    const { link } = await links.issue((account = accountWith()), ACTOR);
    account = accountWith({ deletesAt: new Date(0) });
    await expect(links.issue(account, ACTOR)).rejects.toThrow(DeletionBegunError);
    await expect(links.find(tokenOf(link))).rejects.toThrow(SetupLinkError);
  });
});
