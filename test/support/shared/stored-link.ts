import { type Connection, Types } from 'mongoose';
import { NO_DESTINATIONS } from '../../../src/destinations/destinations';
import { foldKey } from '../../../src/stores/links/alias-form';
import { toStoredHosts } from '../../../src/stores/links/destination-hosts';
import { DEFAULT_SETTINGS } from '../../../src/stores/links/link';
import { type LinkRecord, toLink, toRecord } from '../../../src/stores/links/link.schema';

type StoredLink = { [Field in keyof LinkRecord]: LinkRecord[Field] };

export function aLinkRecord(changes: Partial<StoredLink> = {}): StoredLink {
  const now = new Date();
  const record = toRecord(
    {
      ...DEFAULT_SETTINGS,
      longUrl: 'https://example.com/',
      alias: '',
      destinations: NO_DESTINATIONS,
      passwordHash: null,
      expireAfter: null,
      startsAt: null,
      tags: [],
      ownerId: null,
      generation: 'v2',
    },
    now,
  );
  const alias = changes.alias ?? record._id.toHexString();
  const link = { ...record, folded_alias: foldKey(alias), touched_at: now, ...changes, alias };
  return { ...link, destination_hosts: changes.destination_hosts ?? toStoredHosts(toLink(link)) };
}

export async function aStoredLink(
  connection: Connection,
  changes: Partial<StoredLink> = {},
): Promise<string> {
  const record = aLinkRecord(changes);
  await connection.collection<StoredLink>('links').insertOne(record);
  return record._id.toHexString();
}

export async function manyStoredLinks(
  connection: Connection,
  count: number,
  changes: Partial<StoredLink>,
): Promise<void> {
  const records = Array.from({ length: count }, () => aLinkRecord(changes));
  await connection.collection<StoredLink>('links').insertMany(records);
}

export async function backdate(connection: Connection, alias: string, at: Date): Promise<void> {
  await connection
    .collection<StoredLink>('links')
    .updateOne({ alias }, { $set: { created_at: at } });
}

/** Gives an anonymous link, which the API cannot change, another link's password. */
export async function changePassword(
  connection: Connection,
  alias: string,
  other: string,
): Promise<void> {
  const links = connection.collection<StoredLink>('links');
  const password_hash = (await links.findOne({ alias: other }))?.password_hash ?? null;
  await links.updateOne({ alias }, { $set: { password_hash } });
}

export async function storedLink(connection: Connection, id: string): Promise<StoredLink> {
  const link = await connection
    .collection<StoredLink>('links')
    .findOne({ _id: new Types.ObjectId(id) });
  if (link === null) throw new Error(`There is no link ${id}`);
  return link;
}

/** Makes an anonymous link's statistics private, which the API refuses. */
export async function makePrivate(connection: Connection, alias: string): Promise<void> {
  await connection
    .collection<StoredLink>('links')
    .updateOne({ alias }, { $set: { private_stats: true } });
}
