import { linkWith } from '../../test/support/shared/domain-values';
import { LinkGoneError } from '../redirect/redirect.errors';
import type { Link } from '../stores/links/link';
import { UnknownLinkError } from '../stores/links/link.errors';
import { LinkPagesService } from './link-pages.service';

const PAST = new Date(0);
const FUTURE = new Date('2100-01-01');
const ELSEWHERE = 'https://example.com/over';

describe('The preview page of a link', () => {
  let link: Link | null;
  const find = jest.fn<Promise<Link | null>, [string]>(() => Promise.resolve(link));
  const findById = jest.fn(() => Promise.resolve(link));
  const pages = new LinkPagesService({ find } as never, { findById } as never);

  beforeEach(() => jest.clearAllMocks());

  it.each<[string, Partial<Link>, object | null]>([
    ['an open link', {}, null],
    ['a link with clicks left', { maxClicks: 3, usedClicks: 2 }, null],
    [
      'a link without clicks left',
      { maxClicks: 3, usedClicks: 3, expiredRedirectUrl: ELSEWHERE },
      { url: ELSEWHERE, outcome: 'expired' },
    ],
    [
      'an expired link',
      { expireAfter: PAST, expiredRedirectUrl: ELSEWHERE },
      { url: ELSEWHERE, outcome: 'expired' },
    ],
    [
      'a scheduled link',
      { startsAt: FUTURE, preStartUrl: ELSEWHERE },
      { url: ELSEWHERE, outcome: 'pre_start' },
    ],
  ])('shows the destination of a visit: %s', async (_, traits, diversion) => {
    link = linkWith(traits);
    expect((await pages.find('code')).diversion).toEqual(diversion);
  });

  it.each<[string, Partial<Link>, new (...args: never[]) => Error]>([
    ['a used-up link', { maxClicks: 3, usedClicks: 3 }, LinkGoneError],
    ['an expired link', { expireAfter: PAST }, LinkGoneError],
    ['an inactive link', { status: 'INACTIVE' }, LinkGoneError],
    ['a scheduled link', { startsAt: FUTURE }, UnknownLinkError],
  ])('does not exist for %s without another destination', async (_, traits, error) => {
    link = linkWith(traits);
    await expect(pages.find('code')).rejects.toThrow(error);
    expect(await pages.findAny('code')).toMatchObject({ id: link.id });
  });

  it('reads the number of used clicks from the database only for a link with a limit', async () => {
    link = linkWith();
    await pages.find('code');
    expect(findById).not.toHaveBeenCalled();
    link = linkWith({ maxClicks: 3 });
    await pages.find('code', 'domain');
    expect(findById).toHaveBeenCalledTimes(1);
    expect(find).toHaveBeenLastCalledWith('domain/code');
  });

  it.each(['', '..', 'x'.repeat(129), 'a b'])('does not exist for the code %j', async (code) => {
    link = linkWith();
    await expect(pages.find(code)).rejects.toThrow(UnknownLinkError);
    expect(find).not.toHaveBeenCalled();
  });

  it('does not exist for a link that was deleted meanwhile', async () => {
    link = linkWith({ maxClicks: 3 });
    findById.mockResolvedValueOnce(null);
    await expect(pages.find('code')).rejects.toThrow(UnknownLinkError);
  });
});
