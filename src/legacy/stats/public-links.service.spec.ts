import { linkWith } from '../../../test/support/shared/domain-values';
import type { Link } from '../../stores/links/link';
import { StatisticsUnknownError } from '../refusals/legacy-stats.errors';
import { PublicLinksService } from './legacy-stats.service';

describe('Public statistics', () => {
  let link: Link | null;
  const checkPassword = jest.fn<Promise<void>, [unknown]>();
  const findVisited = jest.fn(() => Promise.resolve(link));
  const links = new PublicLinksService({ findVisited } as never);
  const PRIVATE: Partial<Link> = { ownerId: 'o', privateStats: true };
  const LOCKED: Partial<Link> = { passwordHash: 'hash' };

  beforeEach(() => jest.resetAllMocks());

  it.each<[string, Partial<Link>, string | null, boolean, number]>([
    ['of a public link are visible to all', {}, null, true, 0],
    ['of a protected link need its password', LOCKED, null, true, 1],
    ['of a private link are hidden from all', PRIVATE, null, false, 0],
    ['of a private link are hidden from other accounts', PRIVATE, 'x', false, 0],
    ['of a private link are visible to its owner', PRIVATE, 'o', true, 0],
    [
      'of a private, protected link are hidden without a check',
      { ...PRIVATE, ...LOCKED },
      null,
      false,
      0,
    ],
    [
      'of a protected link need no password from its owner',
      { ...PRIVATE, ...LOCKED },
      'o',
      true,
      0,
    ],
    ['of an anonymous link have no owner', LOCKED, 'x', true, 1],
  ])('%s', async (_, traits, viewer, isVisible, checks) => {
    link = linkWith(traits);
    findVisited.mockResolvedValue(link);
    const found = links.find('spring', checkPassword, viewer);
    if (isVisible) expect(await found).toBe(link);
    else await expect(found).rejects.toThrow(StatisticsUnknownError);
    expect(checkPassword).toHaveBeenCalledTimes(checks);
  });

  it.each(['', '..', 'a b', 'x'.repeat(129)])('cannot be found for the code %j', async (code) => {
    await expect(links.find(code, checkPassword)).rejects.toThrow(StatisticsUnknownError);
    expect(findVisited).not.toHaveBeenCalled();
  });

  it('cannot be found for an unknown link', async () => {
    findVisited.mockResolvedValue(null);
    await expect(links.find('spring', checkPassword)).rejects.toThrow(StatisticsUnknownError);
  });
});
