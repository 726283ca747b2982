import { type Connection, Types } from 'mongoose';
import { LINK_MODEL, LinkSchema } from '../../../src/stores/links/link.schema';
import { LinkSearch } from '../../../src/stores/links/link-search.repository';
import { aStoredLink } from '../../support/shared/stored-link';
import { dropTestDatabase, openTestDatabase, testDatabaseUri } from '../../support/test-database';

const OWNER = new Types.ObjectId();

describe("the search in all accounts' links", () => {
  let connection: Connection;
  let search: LinkSearch;
  beforeEach(async () => {
    connection = await openTestDatabase(testDatabaseUri());
    await connection.model(LINK_MODEL, LinkSchema).createIndexes();
    search = new LinkSearch(connection);
  });
  afterEach(() => dropTestDatabase(connection));

  it('returns the newest links first, although imported ids are higher than new ones', async () => {
    const link = (id: string, day: number) =>
      aStoredLink(connection, {
        _id: new Types.ObjectId(id.padEnd(24, '0')),
        owner: OWNER,
        created_at: new Date(Date.UTC(2026, 10, day)),
      });
    const imported = [await link('fe70', 3), await link('fe71', 1)];
    const made = [await link('6b09', 2), await link('6b0a', 4)];
    const newest = [made[1], imported[0], made[0], imported[1]];
    const part = { page: 1, pageSize: 3 };
    for (const criteria of [
      {},
      { text: 'example' },
      { host: 'example.com' },
      { status: 'ACTIVE' as const },
      { ownerId: OWNER.toHexString() },
    ]) {
      const ids: string[] = [];
      for (const page of [1, 2]) {
        const { links, total } = await search.search(criteria, { ...part, page }, 60_000);
        ids.push(...links.map(({ id }) => id));
        expect(total).toBe(4);
      }
      expect([criteria, ids]).toEqual([criteria, newest]);
    }
  });
});
