import { type Connection, mongo } from 'mongoose';
import { decodeRememberedLink } from '../../../src/stores/links/link.schema';
import { LinkReads } from '../../../src/stores/links/link-reads.repository';
import { aLinkRecord, aStoredLink } from '../../support/shared/stored-link';
import { dropTestDatabase, openTestDatabase, testDatabaseUri } from '../../support/test-database';

let connection: Connection;
let repository: LinkReads;

beforeAll(async () => {
  connection = await openTestDatabase(testDatabaseUri());
  repository = new LinkReads(connection);
});
afterAll(() => dropTestDatabase(connection));

function change(alias: string, fields: object): Promise<unknown> {
  return connection.collection('links').updateOne({ alias }, { $set: fields });
}

describe('the cached links without decoding', () => {
  it('have the same bytes after clicks and other bytes after every change', async () => {
    await aStoredLink(connection, { alias: 'abc' });
    const before = await repository.findUndecoded(['abc', 'nobody']);
    expect(before).toHaveLength(1);
    await change('abc', {
      ...{ slots_taken: 5, open_clicks: 7, total_clicks: 12 },
      ...{ last_click: new Date(), touched_at: new Date() },
    });
    expect(await repository.findUndecoded(['abc'])).toEqual(before);
    for (const edit of [
      { long_url: 'https://two.test/' },
      { status: 'INACTIVE' },
      { closed_by_limit: true },
      { password_hash: 'another' },
      { max_clicks: 9 },
      { slots_from: new Date() },
      { expire_after: new Date() },
      { block_bots: true },
      { private_stats: true },
      { owner: new mongo.ObjectId() },
      { qr: { size: 300 } },
    ]) {
      const known = await repository.findUndecoded(['abc']);
      await change('abc', edit);
      expect(await repository.findUndecoded(['abc'])).not.toEqual(known);
    }
  });

  it('are decoded to the values in the database, in any script', async () => {
    const stored = aLinkRecord({
      alias: 'straße',
      long_url: 'https://example.com/日本?ÿ=\u0080',
      owner: new mongo.ObjectId(),
      max_clicks: 3,
      expire_after: new Date('2030-01-01'),
    });
    await connection.collection('links').insertOne(stored);
    const [document = new Uint8Array()] = await repository.findUndecoded(['straße']);
    const full = await repository.findByAlias('straße');
    expect(full).toMatchObject(decodeRememberedLink(document));
    expect(decodeRememberedLink(document)).toMatchObject({
      alias: stored.alias,
      longUrl: stored.long_url,
      ownerId: stored.owner?.toHexString(),
      maxClicks: 3,
      expireAfter: stored.expire_after,
    });
  });
});
