import fc from 'fast-check';
import type { ListedLink } from './listed-link';
import { sortLinks } from './link-order';

const word = (n: number): string => n.toString(16).padStart(8, '0');
const values = fc.oneof(
  fc.constantFrom(-Infinity, -1, -0, 0, 1, 1_795_000_000_000, Infinity),
  fc.double({ noNaN: true }),
);
const ids = fc
  .tuple(fc.nat(0xffff), fc.constantFrom('00000000', '80000000', 'ffffffff'), fc.nat(3))
  .map(([a, middle, c]) => `${word(a)}${middle}${word(c)}`);

describe('sorting links', () => {
  it('orders by value and then by id, as comparing would', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.tuple(ids, values), { selector: ([id]) => id }),
        async (pairs) => {
          const value = new Map(pairs);
          const links = pairs.map(([id]) => ({ id }) as ListedLink);
          const of = ({ id }: ListedLink): number => value.get(id) ?? NaN;
          const expected = [...links].sort((a, b) =>
            of(a) === of(b) ? (a.id < b.id ? -1 : 1) : of(a) < of(b) ? -1 : 1,
          );
          const sorted = await sortLinks(links, of);
          expect(sorted.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
        },
      ),
    );
  });
});
