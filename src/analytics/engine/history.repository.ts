import { type Collection, mongo } from 'mongoose';
import {
  bytesOf,
  CLICK_BLOCKS,
  CLICK_STORES,
  type StoredBlock,
  type StoredBlockRef,
  type ClickStoreRecord,
} from '../ledger/stored-ledger';
import type { BlockEntry, ClickStoreState, LinkName } from './ledger-state';

const { ObjectId } = mongo;
const WITHOUT_DATA = { 'tail.data': 0, marks: 0 } as const;

interface NamedLink {
  _id: mongo.ObjectId;
  alias: string;
  owner: mongo.ObjectId | null;
}

/** Reads what statistics are counted from. It belongs to the worker and has its own connection. */
export class StoredClicksRepository {
  constructor(private readonly db: mongo.Db) {}

  /** The links of an account, or those of them that have one of the aliases. */
  async linksOf(ownerId: string, aliases: readonly string[] | null): Promise<LinkName[]> {
    const filter = {
      owner: new ObjectId(ownerId),
      ...(aliases === null ? {} : { alias: { $in: [...aliases] } }),
    };
    const links = await this.db
      .collection<NamedLink>('links')
      .find(filter)
      .project<Pick<NamedLink, '_id' | 'alias'>>({ alias: 1 })
      .toArray();
    return links.map(({ _id, alias }) => ({ id: _id.toHexString(), alias }));
  }

  /** The ledgers of the links without the bytes of their tails; a link without clicks has none. */
  heads(linkIds: readonly string[]): Promise<ClickStoreState[]> {
    return this.ledgersOf(linkIds, WITHOUT_DATA);
  }

  /** The ledgers of the links, tails included. */
  ledgers(linkIds: readonly string[]): Promise<ClickStoreState[]> {
    return this.ledgersOf(linkIds, { marks: 0 });
  }

  /** The bytes of blocks by id; a block that compaction has replaced meanwhile is left out. */
  async blocks(ids: readonly string[]): Promise<Map<string, Uint8Array>> {
    const found = await this.collection<StoredBlock>(CLICK_BLOCKS)
      .find({ _id: { $in: ids.map((id) => new ObjectId(id)) } })
      .project<Pick<StoredBlock, '_id' | 'data'>>({ data: 1 })
      .toArray();
    return new Map(found.map(({ _id, data }) => [_id.toHexString(), bytesOf(data)]));
  }

  private async ledgersOf(
    linkIds: readonly string[],
    projection: object,
  ): Promise<ClickStoreState[]> {
    const ledgers = await this.collection<ClickStoreRecord>(CLICK_STORES)
      .find({ _id: { $in: linkIds.map((id) => new ObjectId(id)) } })
      .project<ClickStoreRecord>(projection)
      .toArray();
    return ledgers.map(toState);
  }

  private collection<T extends object>(name: string): Collection<T> {
    return this.db.collection<T>(name) as unknown as Collection<T>;
  }
}

function toState(ledger: ClickStoreRecord): ClickStoreState {
  return {
    linkId: ledger._id.toHexString(),
    rev: ledger.rev,
    total: ledger.total,
    tail: ledger.tail.map(({ n, data }) => ({
      n,
      // Absent where only heads were asked for.
      data: (data as StoredBlock['data'] | undefined) && bytesOf(data),
    })),
    blocks: ledger.blocks.map(toEntry),
  };
}

function toEntry({ id, n, from, to, bytes }: StoredBlockRef): BlockEntry {
  return { id: id.toHexString(), n, from: Number(from), to: Number(to), bytes };
}
