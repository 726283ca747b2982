import type { Connection } from 'mongoose';
import { NO_DESTINATIONS } from '../../../src/destinations/destinations';
import { DEFAULT_SETTINGS, type Link, type LinkChange } from '../../../src/stores/links/link';
import { LINK_MODEL, LinkSchema } from '../../../src/stores/links/link.schema';
import { LinkReads } from '../../../src/stores/links/link-reads.repository';
import { LinksRepository } from '../../../src/stores/links/links.repository';
import { dropTestDatabase, openTestDatabase, testDatabaseUri } from '../../support/test-database';

const OWNER = 'a'.repeat(24);
const NOW = new Date('2026-11-26');
const RULE = { when: [{ field: 'time', from: new Date(0) } as const], to: 'https://r.example/' };

describe('the stored destination hosts of links', () => {
  let connection: Connection;
  let repository: LinksRepository;
  let reads: LinkReads;

  beforeEach(async () => {
    connection = await openTestDatabase(testDatabaseUri());
    await connection.model(LINK_MODEL, LinkSchema).createIndexes();
    repository = new LinksRepository(connection);
    reads = new LinkReads(connection);
  });
  afterEach(() => dropTestDatabase(connection));

  const made = async (alias: string, settings: object = {}): Promise<Link> => {
    const link = {
      ...DEFAULT_SETTINGS,
      alias,
      longUrl: 'https://a.example/',
      destinations: NO_DESTINATIONS,
      passwordHash: null,
      expireAfter: null,
      startsAt: null,
      tags: [],
      ownerId: OWNER,
      generation: 'v2' as const,
      ...settings,
    };
    return (await repository.insertMany([link], NOW))[0] as Link;
  };
  const stored = async (alias: string) => connection.collection('links').findOne({ alias });
  const hosts = async (alias: string) => (await stored(alias))?.['destination_hosts'] as string[];
  const named = (...names: string[]) => names.map((name) => `example.${name}.`);

  it('are updated by every change of a destination, and by no other change', async () => {
    let link = await made('x', { preStartUrl: 'https://b.example/' });
    expect(await hosts('x')).toEqual(named('a', 'b'));
    const changes: [LinkChange, string[]][] = [
      [{ longUrl: 'https://c.example/' }, named('b', 'c')],
      [{ preStartUrl: null, expiredRedirectUrl: 'https://d.example/' }, named('c', 'd')],
      [{ destinations: { rules: [RULE] } }, named('c', 'd', 'r')],
      [{ destinations: { geoRules: { DE: 'https://e.example/' } } }, named('c', 'd', 'e', 'r')],
      [
        { destinations: { rules: [], abVariants: [{ url: 'https://f.example/', weight: 5 }] } },
        named('c', 'd', 'e', 'f'),
      ],
      [{ title: 'a title' }, named('c', 'd', 'e', 'f')],
      [{ longUrl: 'https://d.example/' }, named('d', 'e', 'f')],
    ];
    for (const [change, after] of changes) {
      const changed = await repository.change(link, change, NOW, false);
      expect(changed).not.toBeNull();
      expect([change, await hosts('x')]).toEqual([change, after]);
      link = changed!;
    }
  });

  it('never belong to an earlier version after a concurrent change', async () => {
    const link = await made('x', { destinations: { ...NO_DESTINATIONS, rules: [RULE] } });
    const other = { expiredRedirectUrl: 'https://b.example/' };
    expect(await repository.change(link, other, NOW, false)).not.toBeNull();
    const change = { longUrl: 'https://c.example/' };
    expect(await repository.change(link, change, NOW, false)).toBeNull();
    const again = await reads.findById(link.id);
    expect(await repository.change(again!, change, NOW, false)).not.toBeNull();
    expect(await hosts('x')).toEqual(named('b', 'c', 'r'));
  });

  it('are correct for each link after a bulk change', async () => {
    const links = [await made('x', { preStartUrl: 'https://b.example/' }), await made('y')];
    const ids = links.map(({ id }) => id);
    const change = { longUrl: 'https://c.example/' };
    const shared = { change, moves: null, touch: false, now: NOW };
    await repository.changeMany(OWNER, ids, shared, 20);
    expect([await hosts('x'), await hosts('y')]).toEqual([named('b', 'c'), named('c')]);
  });

  it('end an exemption from blocklists if they, or other parts of a destination, change', async () => {
    const link = await made('x');
    const exempt = async () => (await stored('x'))?.['list_exempt'] as unknown;
    const set = { $set: { list_exempt: true } };
    await connection.collection('links').updateOne({ alias: 'x' }, set);
    await repository.change(link, { longUrl: link.longUrl, title: 'a title' }, NOW, false);
    expect(await exempt()).toBe(true);
    await repository.change(link, { longUrl: 'https://a.example/other' }, NOW, false);
    expect(await exempt()).toBeUndefined();
    await connection.collection('links').updateOne({ alias: 'x' }, set);
    const now = await reads.findById(link.id);
    await repository.change(now!, { destinations: { rules: [RULE] } }, NOW, false);
    expect(await exempt()).toBeUndefined();
  });
});
