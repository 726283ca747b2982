import { type Collection, type Connection, mongo } from 'mongoose';
import { ClickBlockSchema } from './click-block.schema';
import type { LedgerBatch } from './ledger-batch';
import type { LedgerEntry } from './ledger-entry';
import { LedgerSchema } from './ledger.schema';
import { blocksOf, updateOf } from './ledger.update';
import { CLICK_BLOCKS, LEDGERS, type StoredBlock, type StoredLedger } from './stored-ledger';
import { isRefusal, writeErrorsOf } from './bulk-write';

const DUPLICATE_KEY = 11000;

/** The ledgers of the links and the blocks that they name. */
export class LedgerRepository {
  constructor(private readonly connection: Connection) {
    connection.model('Ledger', LedgerSchema);
    connection.model('ClickBlock', ClickBlockSchema);
  }

  async ensureIndexes(): Promise<void> {
    await this.connection.model('ClickBlock').createIndexes();
  }

  /**
   * Adds each entry of a batch to its ledger, unless that was done before: a repeated batch
   * changes nothing. Blocks are stored before a ledger names them. Returns the links whose entry
   * the database refuses for good; any other failure throws, and the batch is to be repeated.
   */
  async apply(batch: LedgerBatch): Promise<string[]> {
    await this.storeBlocks(batch.entries.flatMap((entry) => blocksOf(batch, entry)));
    const failures = await this.update(batch, batch.entries, true);
    // Where the ledger exists and its mark forbids the update, the upsert collides with it. So it
    // does when another node made the ledger in that moment: then the second try finds it.
    const collided = failures.filter(({ code }) => code === DUPLICATE_KEY);
    const again = collided.map(({ entry }) => entry);
    const rest = failures.filter(({ code }) => code !== DUPLICATE_KEY);
    if (again.length > 0) rest.push(...(await this.update(batch, again, false)));
    return rest.map(({ entry }) => entry.linkId);
  }

  /** Removes everything recorded for these links. */
  async remove(linkIds: readonly string[]): Promise<void> {
    if (linkIds.length === 0) return;
    const ids = linkIds.map((id) => new mongo.ObjectId(id));
    await this.ledgers.deleteMany({ _id: { $in: ids } });
    await this.clickBlocks.deleteMany({ link: { $in: ids } });
  }

  private async storeBlocks(blocks: StoredBlock[]): Promise<void> {
    if (blocks.length === 0) return;
    const errors = await writeErrorsOf(this.clickBlocks.insertMany(blocks, { ordered: false }));
    // One that is there already was stored by an earlier try of the same batch.
    const [failure] = errors.filter(({ code }) => code !== DUPLICATE_KEY);
    if (failure !== undefined) throw failure;
  }

  private async update(
    batch: LedgerBatch,
    entries: readonly LedgerEntry[],
    upsert: boolean,
  ): Promise<{ code: number; entry: LedgerEntry }[]> {
    const updates = entries.map((entry) => updateOf(batch, entry, upsert));
    const errors = await writeErrorsOf(this.ledgers.bulkWrite(updates, { ordered: false }));
    return errors.map((error) => {
      const entry = entries[error.index];
      const expected = isRefusal(error) || (upsert && error.code === DUPLICATE_KEY);
      if (entry === undefined || !expected) throw error;
      return { code: error.code, entry };
    });
  }

  private get ledgers(): Collection<StoredLedger> {
    return this.connection.collection<StoredLedger>(LEDGERS);
  }

  private get clickBlocks(): Collection<StoredBlock> {
    return this.connection.collection<StoredBlock>(CLICK_BLOCKS);
  }
}
