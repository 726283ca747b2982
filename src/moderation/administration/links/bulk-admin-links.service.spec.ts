import { DatabaseUnavailableError } from '../../../common/errors';
import { UnknownLinkError } from '../../../stores/links/link.errors';
import { BulkAdminLinksService } from './admin-links.service';

const IDS = ['1', '2', '3'].map((digit) => digit.repeat(24));
const ALIASES = ['domain/one', 'two'];

describe("An admin's action on many links", () => {
  const bulk = new BulkAdminLinksService({
    findInOrder: () =>
      Promise.resolve(ALIASES.map((alias, index) => ({ alias, id: IDS[index] ?? '' }))),
  } as never);
  const failing = (failures: Record<string, Error>) =>
    jest.fn((id: string) => {
      const error = failures[id];
      return error === undefined ? Promise.resolve() : Promise.reject(error);
    });
  const [one = '', two = '', three = ''] = IDS;

  it('has a result for each link, once and in order', async () => {
    const act = failing({ [three]: new UnknownLinkError('id') });
    const { results, summary } = await bulk.run([two, one, three, two.toUpperCase()], act);
    expect(results).toMatchObject([
      { id: two, alias: 'two', ok: true },
      { id: one, alias: 'one', ok: true },
      { id: three, alias: null, ok: false, error_code: 'not_found' },
    ]);
    expect(summary).toEqual({ total: 3, succeeded: 2, failed: 1 });
    expect(act).toHaveBeenCalledTimes(3);
  });

  it('stops at the first link for which the database is unreachable', async () => {
    const act = failing({ [two]: new DatabaseUnavailableError() });
    const { results } = await bulk.run(IDS, act);
    expect(results.map(({ ok }) => ok)).toEqual([true, false, false]);
    expect(act).toHaveBeenCalledTimes(2);
  });

  it('fails if the database is unreachable before any change', async () => {
    const run = bulk.run(IDS, failing({ [one]: new DatabaseUnavailableError() }));
    await expect(run).rejects.toThrow(DatabaseUnavailableError);
  });

  it('reports which id is malformed', async () => {
    const run = bulk.run([one, 'nonsense'], failing({}));
    await expect(run).rejects.toThrow(expect.objectContaining({ field: 'ids.1' }));
  });
});
