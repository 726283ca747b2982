import fc from 'fast-check';
import { type ListedLink, NEVER, PRESENCE_BITS } from './listed-link';
import { searchWords } from '../listing/search-words';
import { FILTER_STATUSES, type PageOfIds, type PageRequest, SORT_FIELDS } from './link-list';
import { OwnerListing } from './owner-listing';
import { TagSet } from '../../stores/tags/tag-set';

const NOW = 1000;
const PLACES = { baseUrl: 'https://sho.rt', domains: [] };

/** The last tag is being deleted, but links still have it. */
const TAG_IDS = ['1', '2', '3', '4'].map((digit) => digit.repeat(24));
const TAGS = new TagSet(
  ['Spring Sale', 'été', 'unused-tag', 'zeta'].map((name, i) => ({
    id: [...TAG_IDS.slice(0, 2), '5'.repeat(24), TAG_IDS[2]][i] ?? '',
    name,
    key: name.toLowerCase(),
    color: 'red',
    createdAt: new Date(0),
  })),
);
const KEYS = ['spring sale', 'été', 'zeta', 'unused-tag', 'unknown'];

const IMPORT_IDS = ['a', 'b', 'c'].map((digit) => digit.repeat(24));
const SOURCES = ['csv', 'csv', 'csv_b'].map((kind, i) => `${kind}/${IMPORT_IDS[i] ?? ''}`);

const links = fc.record({
  id: fc.integer({ min: 0, max: 40 }).map((n) => n.toString(16).padStart(24, '0')),
  alias: fc.constantFrom('abc', 'Able', 'zeta'),
  longUrl: fc.constantFrom('https://A.test/é', 'http://b'),
  createdAt: fc.integer({ min: 0, max: 5 }),
  lastClick: fc.constantFrom(NEVER, 1, 2, 3),
  totalClicks: fc.integer({ min: 0, max: 3 }),
  status: fc.constantFrom('ACTIVE' as const, 'INACTIVE' as const),
  closedByLimit: fc.boolean(),
  blocked: fc.boolean(),
  expireAfter: fc.constantFrom(Infinity, NOW - 1, NOW, NOW + 1),
  startsAt: fc.constantFrom(NEVER, NOW, NOW + 1),
  present: fc
    .subarray(Object.values(PRESENCE_BITS))
    .map((bits) => bits.reduce((all, bit) => all | bit, 0)),
  touchedAt: fc.integer({ min: 0, max: 3 }),
  title: fc.constantFrom('', '', 'Ab\u0065\u0301', 'abé', 'Ａ', '🚀 b', 'zeta'),
  note: fc.constantFrom('', 'Ordered\n by\tB', 'abc'),
  tags: fc.subarray(TAG_IDS),
  source: fc.constantFrom('', ...SOURCES),
});
const requests: fc.Arbitrary<PageRequest> = fc.record({
  page: fc.integer({ min: 1, max: 4 }),
  pageSize: fc.integer({ min: 1, max: 7 }),
  sortBy: fc.constantFrom(...SORT_FIELDS),
  descending: fc.boolean(),
  filter: fc.record(
    {
      status: fc.constantFrom(...FILTER_STATUSES),
      createdAfter: fc.integer({ min: 0, max: 5 }),
      createdBefore: fc.integer({ min: 0, max: 5 }),
      passwordSet: fc.boolean(),
      maxClicksSet: fc.boolean(),
      tags: fc.record({ keys: fc.subarray(KEYS), mode: fc.constantFrom('any', 'all') }),
      excludeTags: fc.subarray(KEYS),
      untagged: fc.boolean(),
      source: fc.constantFrom('csv', 'csv_b', IMPORT_IDS[0], IMPORT_IDS[1], 'c', ''),
      search: fc
        .constantFrom(
          ...['', 'A', 'ABLE', '.TEST/É', 'b', 'nowhere', 'c\nh', 'b a', 'é able a', 'spring'],
          ...['sale b', 'T\u0065\u0301', 'ordered sale', 'by', 'https://sho.rt/zeta', 'unused'],
          ...['sho.rt/able+?x spring', '🚀', 'abé'],
        )
        .map((text) => searchWords(text, PLACES)),
    },
    { requiredKeys: [] },
  ),
  sums: fc.boolean(),
});
const ids = links.map(({ id }) => id);
const updates = fc.array(
  fc.record({
    changed: fc.array(links),
    gone: fc.array(ids),
    imported: fc.option(
      fc.array(fc.tuple(ids, fc.integer({ min: 1, max: 3 }))).map((counts) => new Map(counts)),
    ),
  }),
);
type Imported = ReadonlyMap<string, number>;
type DecodedLink = ListedLink & Record<'id' | 'alias' | 'longUrl' | 'title' | 'note', string>;

/** Applies the contract's rules to each link, without an index. */
function passes(link: DecodedLink, { filter }: PageRequest): boolean {
  const isScheduled = link.startsAt > NOW;
  const reported = link.expireAfter <= NOW || isScheduled ? 'INACTIVE' : link.status;
  const hasExpired = link.expireAfter <= NOW || (link.status === 'INACTIVE' && link.closedByLimit);
  const more = [...(hasExpired ? ['EXPIRED'] : []), ...(isScheduled ? ['SCHEDULED'] : [])];
  const statuses = link.blocked ? ['BLOCKED'] : [reported, ...more];
  const tags = link.tags.flatMap((id) => TAGS.byId(id)?.key ?? []);
  const carries = (key: string) => tags.includes(key);
  const parts = [link.alias, link.longUrl, link.title, link.note, ...tags].map((text) =>
    text.normalize('NFC').toLowerCase(),
  );
  const { keys = [], mode } = filter.tags ?? {};
  return (
    (keys.length === 0 || (mode === 'all' ? keys.every(carries) : keys.some(carries))) &&
    !(filter.excludeTags ?? []).some(carries) &&
    (filter.untagged === undefined || filter.untagged === (tags.length === 0)) &&
    (filter.source === undefined ||
      (link.source !== '' && link.source.split('/').includes(filter.source))) &&
    (filter.status === undefined || statuses.includes(filter.status)) &&
    (filter.createdAfter === undefined || link.createdAt >= filter.createdAfter) &&
    (filter.createdBefore === undefined || link.createdAt <= filter.createdBefore) &&
    (['passwordSet', 'maxClicksSet'] as const).every(
      (name) =>
        filter[name] === undefined || filter[name] === ((link.present & PRESENCE_BITS[name]) !== 0),
    ) &&
    (filter.search ?? []).every(
      (word) =>
        parts.some((part) => part.includes(word.part)) || link.alias.toLowerCase() === word.alias,
    )
  );
}

function selectSlowly(all: DecodedLink[], imported: Imported, input: PageRequest): PageOfIds {
  const importedClicks = ({ id }: DecodedLink): number => imported.get(id) ?? 0;
  const value = (link: DecodedLink): number | string =>
    ({
      created_at: link.createdAt,
      last_click: link.lastClick,
      total_clicks: link.totalClicks + importedClicks(link),
      title: link.title.toLowerCase(),
      alias: link.alias.toLowerCase(),
      expire_after: link.expireAfter,
    })[input.sortBy];
  const passing = all
    .filter((link) => passes(link, input))
    .sort((a, b) =>
      value(a) === value(b) ? (a.id < b.id ? -1 : 1) : value(a) < value(b) ? -1 : 1,
    );
  if (input.descending) passing.reverse();
  const isMissing = (link: DecodedLink) =>
    value(link) === '' || (input.sortBy === 'expire_after' && value(link) === Infinity);
  const found = [...passing.filter((link) => !isMissing(link)), ...passing.filter(isMissing)];
  const from = (input.page - 1) * input.pageSize;
  return {
    ids: found.slice(from, from + input.pageSize).map(({ id }) => id),
    total: found.length,
    ...(input.sums === true && {
      totalClicks: found.reduce((sum, { totalClicks }) => sum + totalClicks, 0),
      importedClicks: found.reduce((sum, link) => sum + importedClicks(link), 0),
    }),
  };
}

describe("the list of an account's links", () => {
  it('returns the same pages as sorting and filtering all links again', async () => {
    await fc.assert(
      fc.asyncProperty(updates, fc.array(requests, { minLength: 1 }), async (steps, asked) => {
        const listing = new OwnerListing();
        const known = new Map<string, DecodedLink>();
        let counts: Imported = new Map();
        for (const { changed, gone, imported } of steps) {
          await listing.update(changed, gone);
          for (const link of changed) known.set(link.id, link);
          for (const id of gone) known.delete(id);
          // Counts of deleted links are deleted, too, and new links have none yet.
          const present = new Map([...(imported ?? counts)].filter(([id]) => known.has(id)));
          if (imported !== null || gone.some((id) => counts.has(id))) {
            await listing.setImported(present);
          }
          counts = present;
          // Also selects between updates, so that orders exist and must be maintained.
          for (const input of asked) {
            const expected = selectSlowly([...known.values()], counts, input);
            expect(await listing.select(input, NOW, TAGS)).toEqual(expected);
          }
          const byTag = listing.countByTag();
          for (const id of TAG_IDS) {
            const carrying = [...known.values()].filter(({ tags }) => tags.includes(id));
            expect(byTag.get(id) ?? { links: 0, importedClicks: 0 }).toEqual({
              links: carrying.length,
              importedClicks: carrying.reduce((sum, link) => sum + (counts.get(link.id) ?? 0), 0),
            });
          }
          const all = [...known.keys()].reduce((sum, id) => sum + (counts.get(id) ?? 0), 0);
          expect((await listing.glance(NOW, NOW, 1)).importedClicks).toBe(all);
        }
        expect(listing.size).toBe(known.size);
      }),
    );
  });

  it('returns an empty page with the total for an offset beyond the end', async () => {
    const listing = new OwnerListing();
    await listing.update(fc.sample(links, { numRuns: 5, seed: 1 }));
    const input = { page: 1e15, pageSize: 100, sortBy: 'created_at', descending: true } as const;
    expect(await listing.select({ ...input, filter: {} }, NOW, TAGS)).toEqual({
      ids: [],
      total: listing.size,
    });
  });

  it('finds values that many links share, and values that only one link has', async () => {
    const [link] = fc.sample(links, { numRuns: 1, seed: 1 });
    const many = Array.from({ length: 25_000 }, (_, i) => ({
      ...link!,
      id: i.toString(16).padStart(24, '0'),
      alias: `found-${i}`,
      longUrl: 'https://b.example/ÄÖ😀',
      title: `Title ${i % 10}`,
      note: i % 3 === 0 ? `note-${i}. ${'filler '.repeat(12)} Ünd-${i % 100}` : '',
    }));
    const listing = new OwnerListing();
    listing.add(many);
    await listing.complete();
    const total = async (search: string): Promise<number> => {
      const input = { page: 1, pageSize: 1, sortBy: 'created_at', descending: false } as const;
      const filter = { search: searchWords(search, PLACES) };
      return (await listing.select({ ...input, filter }, NOW, TAGS)).total;
    };
    expect(await total('FOUND')).toBe(25_000);
    expect(await total('o')).toBe(25_000);
    expect(await total('äö😀')).toBe(25_000);
    expect(await total('found-24999')).toBe(1);
    expect(await total('found-1234')).toBe(11);
    expect(await total('😀'.charAt(0))).toBe(0);
    expect(await total('nowhere')).toBe(0);
    expect(await total('999 b.example 😀 found')).toBe(43);
    expect(await total('found-7 nowhere')).toBe(0);
    // The notes are in several compressed chunks and in the open chunk.
    expect(await total('filler')).toBe(8334);
    for (const i of [0, 2997, 16_383, 16_386, 24_999]) expect(await total(`note-${i}.`)).toBe(1);
    expect(await total('note-1.')).toBe(0);
    expect(await total('ÜND-50 title')).toBe(83);
    expect(await total('ünd-50 title-none')).toBe(0);
    expect(await total('title filler 9. found-2499')).toBe(2);
    for (const alias of ['found-0', 'found-16383', 'found-16384', 'found-24999']) {
      expect(await total(`https://sho.rt/${alias}`)).toBe(1);
    }
    expect(await total('sho.rt/found-16384 found-16384')).toBe(1);
    expect(await total('sho.rt/found-1 16384')).toBe(0);
    expect(await total('sho.rt/found-')).toBe(0);
    expect(await total('sho.rt/https://b.example/ÄÖ😀')).toBe(0);
    await listing.update(
      [],
      many.slice(0, 20_000).map(({ id }) => id),
    );
    expect(await total('found')).toBe(5000);
    expect(listing.isWorn).toBe(true);
  });
});
