import { type Connection, mongo } from 'mongoose';
import { decodeChunk } from '../../src/engines/click-engine/chunk/chunk';
import {
  binaryBytes,
  CLICK_BLOCKS,
  CLICK_STORES,
  type StoredBlock,
  type StoredClickStore,
} from '../../src/clicks/store/click-store.schema';

export function storedClickStore(
  connection: Connection,
  id: string,
): Promise<StoredClickStore | null> {
  return connection
    .collection<StoredClickStore>(CLICK_STORES)
    .findOne({ _id: new mongo.ObjectId(id) });
}

/** Counts the clicks in a store's chunks and blocks, without using totals. */
export async function clicksInChunks(connection: Connection, id: string): Promise<number> {
  const store = await storedClickStore(connection, id);
  if (store === null) return 0;
  const named = await connection
    .collection<StoredBlock>(CLICK_BLOCKS)
    .find({ _id: { $in: store.blocks.map((block) => block.id) } })
    .toArray();
  if (named.length !== store.blocks.length) throw new Error('A block is missing');
  return [...store.tail, ...named]
    .map(({ data }) => decodeChunk(binaryBytes(data)).n)
    .reduce((sum, n) => sum + n, 0);
}
