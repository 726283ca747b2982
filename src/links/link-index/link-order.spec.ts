import fc from 'fast-check';
import type { ListedLink } from './listed-link';
import { LinkColumns } from './link-columns';
import { LinkOrder } from './link-order';
import { Turns } from './turns';
import { wordsOfId } from './row-block';

const word = (n: number): string => n.toString(16).padStart(8, '0');
const values = fc.oneof(
  fc.constantFrom(-Infinity, -1, -0, 0, 1, 1_795_000_000_000, Infinity),
  fc.double({ noNaN: true }),
);
const ids = fc
  .tuple(fc.nat(0xffff), fc.constantFrom('00000000', '80000000', 'ffffffff'), fc.nat(3))
  .map(([a, middle, c]) => `${word(a)}${middle}${word(c)}`);

const linkOf = (id: string, totalClicks: number): ListedLink => ({
  ...{ id, alias: id, longUrl: 'https://a.example', totalClicks, createdAt: 0, lastClick: 0 },
  ...{ status: 'ACTIVE', closedByLimit: false, expireAfter: Infinity, touchedAt: 0 },
  ...{ startsAt: -Infinity, blocked: false },
  ...{ present: 0, title: '', note: '', tags: [], source: '' },
});

describe('the order of links', () => {
  it('is by value and then by id, like a direct comparison', async () => {
    const pairs = fc.uniqueArray(fc.tuple(ids, values), { selector: ([id]) => id });
    await fc.assert(
      fc.asyncProperty(pairs, async (given) => {
        const columns = new LinkColumns();
        for (const [id, value] of given) columns.append(linkOf(id, value));
        const byId = await LinkOrder.byId(columns, new Turns());
        const order = await LinkOrder.by('total_clicks', byId, new Turns());
        const expected = [...given].sort(([one, a], [other, b]) =>
          a === b ? (one < other ? -1 : 1) : a < b ? -1 : 1,
        );
        const found = Array.from({ length: order.length }, (_, i) => columns.linkId(order.at(i)));
        expect(found).toEqual(expected.map(([id]) => id));
        const [first] = expected;
        const row = byId.find(wordsOfId(first?.[0] ?? word(0).repeat(3)));
        expect(row === undefined ? undefined : columns.linkId(row)).toBe(first?.[0]);
      }),
    );
  });

  it('is by title in lower case, by code unit, like a direct comparison', async () => {
    const titles = fc.oneof(
      fc.constantFrom(
        '',
        'a',
        'A',
        'ab',
        'abcdefgh',
        'abcdefgha',
        'abcdefghz',
        'abcdefghijklmnop',
        '\u{ff21}',
        '\u{1f680}',
        'e\u0301',
        'é',
        '\ue000',
        '\ud7ff',
      ),
      fc.string({ unit: 'grapheme', maxLength: 4 }).map((text) => text.replace(/\p{Cc}/gu, ' ')),
    );
    const pairs = fc.uniqueArray(fc.tuple(ids, titles), { selector: ([id]) => id });
    await fc.assert(
      fc.asyncProperty(pairs, async (given) => {
        const columns = new LinkColumns();
        for (const [id, title] of given) columns.append({ ...linkOf(id, 0), title });
        const byId = await LinkOrder.byId(columns, new Turns());
        const order = await LinkOrder.by('title', byId, new Turns());
        const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
        const sorted = (direction: 1 | -1) =>
          [...given]
            .map(([id, title]) => ({ id, title: title.toLowerCase() }))
            .sort(
              (a, b) =>
                Number(a.title === '') - Number(b.title === '') ||
                direction * (compare(a.title, b.title) || compare(a.id, b.id)),
            )
            .map(({ id }) => id);
        const found = (at: (place: number) => number) =>
          Array.from({ length: order.length }, (_, i) => columns.linkId(at(i)));
        expect(found((place) => order.at(place))).toEqual(sorted(1));
        expect(found(order.descending())).toEqual(sorted(-1));
      }),
    );
  });

  it('is correct across several blocks of rows and of texts', async () => {
    const columns = new LinkColumns();
    const long = 'x'.repeat(300_000);
    const starts = ['a common start', 'abcdefgh', 'abcdefghijklmnop'];
    const sortKeys: string[] = [];
    for (let i = 0; i < 40_000; i++) {
      const link = linkOf(`${word(i)}${word(0)}${word(i)}`, i % 7);
      const title = i % 4 === 0 ? '' : `${starts[i % 3]}${i % 2 === 0 ? '' : `, ${i % 5}`}`;
      const texts = i % 2000 === 0 ? { alias: long, longUrl: 'http://b' } : {};
      columns.append({ ...link, title, ...texts });
      sortKeys.push(`${title === '' ? '~' : title}\t${word(i)}`);
    }
    const byId = await LinkOrder.byId(columns, new Turns());
    const order = await LinkOrder.by('total_clicks', byId, new Turns());
    const found = Array.from({ length: order.length }, (_, i) => columns.linkId(order.at(i)));
    const expected = Array.from({ length: 40_000 }, (_, i) => i).sort(
      (a, b) => (a % 7) - (b % 7) || a - b,
    );
    expect(found).toEqual(expected.map((i) => `${word(i)}${word(0)}${word(i)}`));
    expect(columns.blocks.length).toBeGreaterThan(3);
    const byTitle = await LinkOrder.by('title', byId, new Turns());
    const numbers = Array.from({ length: 40_000 }, (_, i) =>
      columns.linkId(byTitle.at(i)).slice(-8),
    );
    expect(numbers.map((number) => sortKeys[parseInt(number, 16)])).toEqual([...sortKeys].sort());
    const byAlias = await LinkOrder.by('alias', byId, new Turns());
    const aliases = expected
      .map((i) => (i % 2000 === 0 ? long : `${word(i)}${word(0)}${word(i)}`) + word(i))
      .sort();
    expect(
      Array.from({ length: 40_000 }, (_, i) => columns.linkId(byAlias.at(i)).slice(-8)),
    ).toEqual(aliases.map((alias) => alias.slice(-8)));
  });
});
