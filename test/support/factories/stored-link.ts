import { type Connection, Types } from 'mongoose';
import type { LinkRecord } from '../../../src/links/link.schema';

type StoredLink = { [Field in keyof LinkRecord]: LinkRecord[Field] };

/** Stores a link straight in the database and returns its id. */
export async function aStoredLink(
  connection: Connection,
  changes: Partial<StoredLink> = {},
): Promise<string> {
  const _id = new Types.ObjectId();
  await connection.collection<StoredLink>('links').insertOne({
    _id,
    alias: _id.toHexString(),
    long_url: 'https://example.com/',
    owner: null,
    generation: 'v2',
    created_at: new Date(),
    updated_at: null,
    status: 'ACTIVE',
    closed_by_limit: false,
    password_hash: null,
    max_clicks: null,
    slots_taken: 0,
    slots_from: null,
    expire_after: null,
    block_bots: false,
    private_stats: false,
    total_clicks: 0,
    open_clicks: 0,
    last_click: null,
    touched_at: new Date(),
    ...changes,
  });
  return _id.toHexString();
}

/** The link as it stands in the database. */
export async function storedLink(connection: Connection, id: string): Promise<StoredLink> {
  const link = await connection
    .collection<StoredLink>('links')
    .findOne({ _id: new Types.ObjectId(id) });
  if (link === null) throw new Error(`There is no link ${id}`);
  return link;
}

/** Makes the statistics of a link private that was made without an account, which the API refuses. */
export async function makePrivate(connection: Connection, alias: string): Promise<void> {
  await connection
    .collection<StoredLink>('links')
    .updateOne({ alias }, { $set: { private_stats: true } });
}
