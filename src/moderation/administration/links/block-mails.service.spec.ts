import { accountWith, linkWith } from '../../../../test/support/shared/domain-values';
import type { Account } from '../../../accounts/account/account';
import type { Link } from '../../../stores/links/link';
import { BlockMailsService, blockedMail } from './block-mails.service';

const NOTICE = { ownerId: 'o', since: new Date(1), until: new Date(2) };
const blockedLink = (alias: string, reason: string) =>
  linkWith({ alias, blocked: { reason, at: new Date(2), by: 'admin' } });

describe('Emails about blocked links', () => {
  let links: Link[];
  let account: Account | null;
  const claim = jest.fn<Promise<typeof NOTICE | null>, []>();
  const [finish, forget, send] = [jest.fn(), jest.fn(), jest.fn()];
  const findBlocked = jest.fn(() => Promise.resolve({ count: links.length, links }));
  const service = new BlockMailsService(
    { claim, finish, forget } as never,
    { findBlocked } as never,
    { findById: () => Promise.resolve(account) } as never,
    { find: (alias: string) => ({ shortUrl: `https://go.test/${alias}` }) } as never,
    { send } as never,
    {} as never,
    { baseUrl: 'https://go.test' } as never,
    { name: 'Go' } as never,
  );

  beforeEach(() => {
    jest.resetAllMocks();
    findBlocked.mockImplementation(() => Promise.resolve({ count: links.length, links }));
    claim.mockResolvedValue(null).mockResolvedValueOnce(NOTICE);
    send.mockResolvedValue(true);
    [account, links] = [accountWith(), [blockedLink('one', 'Spam')]];
  });

  it('include the links blocked since the previous email', async () => {
    await service.sendDue();
    expect(findBlocked).toHaveBeenCalledWith('o', 20, { since: new Date(1), until: new Date(2) });
    expect(send).toHaveBeenCalledWith('ada@example.com', expect.any(Function));
    expect(finish).toHaveBeenCalledWith(NOTICE, true);
  });

  it('are sent again if they could not be sent', async () => {
    send.mockResolvedValue(false);
    await service.sendDue();
    expect([finish.mock.calls, forget.mock.calls]).toEqual([[[NOTICE, false]], []]);
  });

  it.each<[string, () => void]>([
    ['if the links were unblocked in the meantime', () => (links = [])],
    ['if the account was deleted', () => (account = null)],
  ])('are not sent %s', async (_, prepare) => {
    prepare();
    await service.sendDue();
    expect(send).not.toHaveBeenCalled();
    expect(forget).toHaveBeenCalledWith(NOTICE);
  });

  it('contain the number, the reasons and the first links', () => {
    const sender = { site: 'Go', baseUrl: 'https://go.test' };
    const shown = (count: number, reasons: string[], ...named: string[]) =>
      blockedMail('ada@example.com', { id: 'l1', count, reasons, links: named }, sender);
    expect(shown(1, ['Spam'], 'https://go.test/a')).toMatchObject({
      subject: '1 link was blocked (go.test)',
      values: {
        lead: '1 link of your account at Go was blocked and no longer works.',
        reason: 'Reason: Spam',
        links: 'go.test/a',
      },
      page: { path: '/dashboard/links/l1' },
    });
    expect(shown(3, ['Spam', 'Malware'], 'https://go.test/a', 'http://b.test/b')).toMatchObject({
      subject: '3 links were blocked (go.test)',
      values: { reason: 'Reasons: Spam; Malware', links: 'go.test/a\nb.test/b\nand 1 more' },
      page: { path: '/dashboard/links?status=BLOCKED' },
    });
  });
});
