import { groupLinks } from './copy-clicks';
import type { StoredTotal } from './same-answers';

async function groupSizes(totals: readonly number[]): Promise<number[][]> {
  async function* links(): AsyncGenerator<StoredTotal> {
    for (const [i, total] of totals.entries())
      yield await Promise.resolve({ linkId: `${i}`, total });
  }
  const sizes: number[][] = [];
  for await (const group of groupLinks(links())) sizes.push(group.map(({ total }) => total));
  return sizes;
}

describe('A group of links whose clicks are moved back', () => {
  it('has at most 50,000 clicks, unless a single link has more', async () => {
    expect(await groupSizes([20_000, 30_000, 1, 0, 70_000, 2, 3])).toEqual([
      [20_000, 30_000],
      [1, 0],
      [70_000],
      [2, 3],
    ]);
    expect(await groupSizes([])).toEqual([]);
  });

  it('has at most 500 links', async () => {
    const sizes = await groupSizes(Array.from({ length: 1001 }, () => 1));
    expect(sizes.map(({ length }) => length)).toEqual([500, 500, 1]);
  });
});
