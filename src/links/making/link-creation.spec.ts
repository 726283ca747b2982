import { linkWith } from '../../../test/support/shared/domain-values';
import type { NewLink } from '../../stores/links/link';
import { AliasTakenError } from '../../stores/links/link.errors';
import { V1_ALIASES } from './alias';
import { createLinks, type LinkRequest } from './link-creation';
import { AliasesExhaustedError } from './links.errors';

const NOW = new Date(0);

describe('links in one batch', () => {
  const insertMany = jest.fn((links: readonly Pick<NewLink, 'alias'>[]) =>
    Promise.resolve(
      links.map(({ alias }) =>
        alias.includes('taken') ? new AliasTakenError(alias) : linkWith({ alias }),
      ),
    ),
  );
  const request = (alias: string | null, ...generated: string[]): LinkRequest => ({
    ...{ link: {} as LinkRequest['link'], alias, domainId: null },
    aliases: { tries: generated.length, next: () => generated.shift() ?? 'none' },
  });
  const create = async (...requests: LinkRequest[]) => {
    const outcomes = await createLinks({ insertMany }, requests, NOW);
    return outcomes.map((outcome) =>
      outcome instanceof Error ? outcome.constructor : outcome.alias,
    );
  };
  const batches = () => insertMany.mock.calls.map(([links]) => links.map(({ alias }) => alias));

  beforeEach(() => jest.clearAllMocks());

  it("are stored even if another link's requested alias is taken", async () => {
    expect(await create(request('a'), request('taken'), request('b'))).toEqual([
      ...['a', AliasTakenError, 'b'],
    ]);
    expect(insertMany).toHaveBeenCalledTimes(1);
  });

  it('get another generated alias only if the first one is taken', async () => {
    const requests = [request(null, 'taken1', 'api', 'x'), request('a'), request(null, 'y')];
    expect(await create(...requests)).toEqual(['x', 'a', 'y']);
    expect(batches()).toEqual([['taken1', 'a', 'y'], ['x']]);
  });

  it('fail if all generated aliases are taken', async () => {
    const outcomes = await create(request(null, 'taken1'), request(null, 'taken2', 'x'));
    expect(outcomes).toEqual([AliasesExhaustedError, 'x']);
  });

  it('stay stored from an earlier round if the database fails', async () => {
    const failure = new TypeError('away');
    const requests = [request('a'), request(null, 'taken1', 'x')];
    insertMany.mockImplementationOnce((links) => {
      insertMany.mockRejectedValueOnce(failure);
      return Promise.resolve([linkWith({ alias: 'a' }), new AliasTakenError(links[1]!.alias)]);
    });
    expect(await create(...requests)).toEqual(['a', TypeError]);
  });

  it('fail if only reserved aliases are generated', async () => {
    const aliases = { tries: 1, next: () => 'api' };
    const outcome = create({ ...request(null), aliases });
    await expect(outcome).rejects.toThrow(AliasesExhaustedError);
  });

  it('get seven letters and digits on a custom domain', async () => {
    const [alias] = await create({ ...request(null), domainId: 'd', aliases: V1_ALIASES });
    expect(alias).toMatch(/^d\/[A-Za-z0-9]{7}$/);
  });
});
