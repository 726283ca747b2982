import { type Collection, type Connection, mongo } from 'mongoose';
import { DOCUMENTS_A_STATEMENT, slicesOf } from '../../infrastructure/mongo/many-documents';
import type { ClickBatch, ClickBatchEntry } from './click-batch';
import {
  CLICK_BLOCKS,
  CLICK_STORES,
  ClickBlockSchema,
  type ClickStoreRecord,
  ClickStoreSchema,
  type StoredBlock,
} from './click-store.schema';
import {
  appliedBatchOf,
  blocksOf,
  clickStoreOf,
  updateOf,
  updateOfMany,
} from './click-store.update';

/** How the database answered one operation of an unordered bulk write. */
export class BulkOperationError extends Error {
  constructor(
    readonly index: number,
    readonly code: number,
    message: string,
  ) {
    super(message);
    this.name = 'BulkOperationError';
  }
}

/** BadValue, FailedToParse, TypeMismatch, DocumentValidationFailure, three times "too large". */
const REFUSALS = new Set([2, 9, 14, 121, 10334, 17419, 17420]);

/** Whether the document itself is at fault, so that no repetition would change the answer. */
export function isRefusal(error: BulkOperationError): boolean {
  return REFUSALS.has(error.code);
}

/**
 * The failed operations of a bulk write that went through as a whole. Throws when it did not, or
 * when what was written is not acknowledged as durable.
 */
export async function writeErrorsOf(write: Promise<unknown>): Promise<BulkOperationError[]> {
  try {
    await write;
    return [];
  } catch (error) {
    if (!isBulkFailure(error) || error.result.getWriteConcernError() !== undefined) throw error;
    const failures = [error.writeErrors].flat();
    if (failures.length === 0) throw error;
    return failures.map(
      ({ index, code, errmsg }) => new BulkOperationError(index, code, errmsg ?? ''),
    );
  }
}

interface BulkFailure {
  writeErrors: OneWriteError | OneWriteError[];
  result: { getWriteConcernError: () => unknown };
}

interface OneWriteError {
  index: number;
  code: number;
  errmsg?: string;
}

function isBulkFailure(error: unknown): error is BulkFailure {
  return error instanceof Error && error.name === 'MongoBulkWriteError';
}

const DUPLICATE_KEY = 11000;

/** The stores of the links and the blocks that they name. */
export class ClickStoreRepository {
  constructor(private readonly connection: Connection) {
    connection.model('ClickStore', ClickStoreSchema);
    connection.model('ClickBlock', ClickBlockSchema);
  }

  async ensureIndexes(): Promise<void> {
    await this.connection.model('ClickBlock').createIndexes();
  }

  /**
   * Adds each entry of a batch to its click store, unless that was done before: a repeated batch
   * changes nothing. Blocks are stored before a click store names them. Returns the links whose entry
   * the database refuses for good; any other failure throws, and the batch is to be repeated.
   */
  async apply(batch: ClickBatch): Promise<string[]> {
    await this.storeBlocks(batch.entries.flatMap((entry) => blocksOf(batch, entry)));
    const applied = await this.appliedBatches(batch);
    const made = batch.entries.filter(({ linkId }) => !applied.has(linkId));
    const standing = batch.entries.filter(
      ({ linkId }) => (applied.get(linkId) ?? Infinity) < batch.number,
    );
    const left = [...(await this.insert(batch, made)), ...(await this.add(batch, standing))];
    return left.length === 0 ? [] : this.applyOneByOne(batch, left);
  }

  /** Removes everything recorded for these links. */
  async remove(linkIds: readonly string[]): Promise<void> {
    if (linkIds.length === 0) return;
    const ids = linkIds.map((id) => new mongo.ObjectId(id));
    await this.stores.deleteMany({ _id: { $in: ids } });
    await this.clickBlocks.deleteMany({ link: { $in: ids } });
  }

  private async storeBlocks(blocks: StoredBlock[]): Promise<void> {
    if (blocks.length === 0) return;
    const errors = await writeErrorsOf(this.clickBlocks.insertMany(blocks, { ordered: false }));
    // One that is there already was stored by an earlier try of the same batch.
    const [failure] = errors.filter(({ code }) => code !== DUPLICATE_KEY);
    if (failure !== undefined) throw failure;
  }

  /** The last batch of this node in each click store that there is; below every number without one. */
  private async appliedBatches(batch: ClickBatch): Promise<Map<string, number>> {
    const ids = batch.entries.map(({ linkId }) => new mongo.ObjectId(linkId));
    const found = this.stores
      .find({ _id: { $in: ids } })
      .project<Pick<ClickStoreRecord, '_id'> & Partial<Pick<ClickStoreRecord, 'marks'>>>({
        [appliedBatchOf(batch)]: 1,
      });
    const applied = new Map<string, number>();
    for await (const { _id, marks } of found) {
      applied.set(_id.toHexString(), marks?.[batch.node] ?? -Infinity);
    }
    return applied;
  }

  /** Makes stores; answers the entries whose click store another node has made, or that are refused. */
  private async insert(
    batch: ClickBatch,
    entries: readonly ClickBatchEntry[],
  ): Promise<ClickBatchEntry[]> {
    if (entries.length === 0) return [];
    const made = entries.map((entry) => clickStoreOf(batch, entry));
    const errors = await writeErrorsOf(this.stores.insertMany(made, { ordered: false }));
    return failedOf(entries, errors, true).map(({ entry }) => entry);
  }

  /** Adds to stores that were there; answers the entries that are not in theirs afterwards. */
  private async add(
    batch: ClickBatch,
    entries: readonly ClickBatchEntry[],
  ): Promise<ClickBatchEntry[]> {
    if (entries.length === 0) return [];
    const updates = slicesOf(entries, DOCUMENTS_A_STATEMENT).map((some) =>
      updateOfMany(batch, some),
    );
    let added = 0;
    // What a statement fails by may be one damaged store: one by one shows which.
    await writeErrorsOf(
      this.stores.bulkWrite(updates, { ordered: false }).then(({ matchedCount }) => {
        added = matchedCount;
      }),
    );
    if (added === entries.length) return [];
    const applied = await this.appliedBatches({ ...batch, entries });
    return entries.filter(({ linkId }) => (applied.get(linkId) ?? -Infinity) < batch.number);
  }

  /** The long way, for what the short ways left: it finds out which entries are refused. */
  private async applyOneByOne(
    batch: ClickBatch,
    entries: readonly ClickBatchEntry[],
  ): Promise<string[]> {
    const failures = await this.update(batch, entries, true);
    // Where the click store has this batch already, the upsert collides with it. So it
    // does when another node made the click store in that moment: then the second try finds it.
    const collided = failures.filter(({ code }) => code === DUPLICATE_KEY);
    const again = collided.map(({ entry }) => entry);
    const rest = failures.filter(({ code }) => code !== DUPLICATE_KEY);
    if (again.length > 0) rest.push(...(await this.update(batch, again, false)));
    return rest.map(({ entry }) => entry.linkId);
  }

  private async update(
    batch: ClickBatch,
    entries: readonly ClickBatchEntry[],
    upsert: boolean,
  ): Promise<Failure[]> {
    const updates = entries.map((entry) => updateOf(batch, entry, upsert));
    const errors = await writeErrorsOf(this.stores.bulkWrite(updates, { ordered: false }));
    return failedOf(entries, errors, upsert);
  }

  private get stores(): Collection<ClickStoreRecord> {
    return this.connection.collection<ClickStoreRecord>(CLICK_STORES);
  }

  private get clickBlocks(): Collection<StoredBlock> {
    return this.connection.collection<StoredBlock>(CLICK_BLOCKS);
  }
}

interface Failure {
  code: number;
  entry: ClickBatchEntry;
}

/** The entries that a write of one operation each left out; throws what is no refusal. */
function failedOf(
  entries: readonly ClickBatchEntry[],
  errors: readonly BulkOperationError[],
  mayCollide: boolean,
): Failure[] {
  return errors.map((error) => {
    const entry = entries[error.index];
    const expected = isRefusal(error) || (mayCollide && error.code === DUPLICATE_KEY);
    if (entry === undefined || !expected) throw error;
    return { code: error.code, entry };
  });
}
