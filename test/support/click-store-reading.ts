import { type Connection, mongo } from 'mongoose';
import { decodeChunk } from '../../src/clicks/store/codec/chunk';
import {
  bytesOf,
  CLICK_BLOCKS,
  CLICK_STORES,
  type StoredBlock,
  type ClickStoreRecord,
} from '../../src/clicks/store/click-store.schema';

export function storedLedger(connection: Connection, id: string): Promise<ClickStoreRecord | null> {
  return connection
    .collection<ClickStoreRecord>(CLICK_STORES)
    .findOne({ _id: new mongo.ObjectId(id) });
}

/** Clicks in the chunks of a ledger, blocks included: counted from the data, not the totals. */
export async function clicksInChunks(connection: Connection, id: string): Promise<number> {
  const ledger = await storedLedger(connection, id);
  if (ledger === null) return 0;
  const named = await connection
    .collection<StoredBlock>(CLICK_BLOCKS)
    .find({ _id: { $in: ledger.blocks.map((block) => block.id) } })
    .toArray();
  if (named.length !== ledger.blocks.length) throw new Error('A block is missing');
  return [...ledger.tail, ...named]
    .map(({ data }) => decodeChunk(bytesOf(data)).n)
    .reduce((sum, n) => sum + n, 0);
}
