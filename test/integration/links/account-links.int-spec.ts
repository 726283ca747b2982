import { type Connection, Types } from 'mongoose';
import { AccountLinkReads, tagged } from '../../../src/stores/links/account-link-reads.repository';
import { LINK_MODEL, LinkSchema } from '../../../src/stores/links/link.schema';
import { dropTestDatabase, openTestDatabase, testDatabaseUri } from '../../support/test-database';

const LARGE = new Types.ObjectId();
const SMALL = new Types.ObjectId();
const LINKS = 2500;

describe("an account's links", () => {
  let connection: Connection;
  let reads: AccountLinkReads;
  beforeAll(async () => {
    connection = await openTestDatabase(testDatabaseUri());
    await connection.model(LINK_MODEL, LinkSchema).createIndexes();
    reads = new AccountLinkReads(connection);
    const links = Array.from({ length: LINKS }, (_, i) => ({
      ...{ alias: `l${i}`, owner: i % 3 === 0 ? SMALL : LARGE, created_at: new Date(i) },
      last_click: new Date((i * 7919) % LINKS),
    }));
    await connection.collection('links').insertMany(links);
  });
  afterAll(() => dropTestDatabase(connection));

  it.each([
    ['most', LARGE, 1666],
    ['a third', SMALL, 834],
  ])(
    'are the same with and without the index if they are %s of the links',
    async (_, owner, count) => {
      const id = owner.toHexString();
      expect(await reads.countByOwner(id)).toBe(count);
      const ids = async (known: number) =>
        (await tagged(reads.documentsByOwner(id, {}, known))).map((link) => link.id).sort();
      const all = await ids(count);
      expect(new Set(all).size).toBe(count);
      expect(all).toEqual(await ids(0));

      const part = { sortBy: 'last_click', skip: 5, limit: 50, descending: true } as const;
      const sorted = await reads.sortedIds(id, part, count);
      expect(sorted).toHaveLength(50);
      expect(sorted).toEqual(await reads.sortedIds(id, part, 0));
    },
  );
});
