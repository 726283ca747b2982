import { randomBytes } from 'node:crypto';
import { newObjectId } from '../infrastructure/mongo/object-ids';

/** An id that was chosen before anything was done, so that doing it again makes nothing twice. */
export interface ChosenId {
  readonly id: string;
  /** An earlier try may have made the document; what it made is the answer. */
  readonly isRepeated: boolean;
}

/** Memory of a request with an Idempotency-Key, which all its tries share. */
export interface AttemptMemory {
  /** One for each item, in their order. */
  readonly ids: readonly string[];
  readonly isRepeated: boolean;
  /** Answers of items that an earlier try has done, null for those that it could not do. */
  readonly rows: readonly unknown[];
  readonly targets: readonly string[] | null;
  keepTargets(targets: readonly string[]): Promise<void>;
  secret(): Buffer;
}

/**
 * One try of a request that may be sent again (docs/contract.md#20.3). Without an Idempotency-Key it
 * is the only one: its ids are fresh and nothing is stored.
 */
export class Attempt {
  private readonly freshIds = new Map<number, string>();
  private openRows: readonly unknown[] | null = null;

  constructor(private readonly memory: AttemptMemory | null = null) {}

  /** Whether an earlier try began and has no final answer: it may have done any part of the work. */
  get isRepeated(): boolean {
    return this.memory?.isRepeated ?? false;
  }

  /** Id of the document that the item makes, the same in every try. */
  documentId(index = 0): string {
    const id = this.memory?.ids[index] ?? this.freshIds.get(index) ?? newObjectId();
    this.freshIds.set(index, id);
    return id;
  }

  /** The same, in the form in which services take it. */
  chosenId(index = 0): ChosenId {
    return { id: this.documentId(index), isRepeated: this.isRepeated };
  }

  /** Answer of an item that an earlier try has done, undefined where it is still to be done. */
  doneRow(index: number): unknown {
    return this.memory?.rows[index] ?? undefined;
  }

  /**
   * Ids of the documents that the request is about, as the first try found them: one of them that is
   * gone in a later try was deleted by an earlier one.
   */
  async targets(find: () => Promise<readonly string[]>): Promise<readonly string[]> {
    if (this.memory === null) return find();
    if (this.memory.targets !== null) return this.memory.targets;
    const found = await find();
    await this.memory.keepTargets(found);
    return found;
  }

  /**
   * 32 secret bytes, the same in every try, of which a token can be made that nobody has seen
   * while there is no answer.
   */
  secret(): Buffer {
    return this.memory?.secret() ?? randomBytes(32);
  }

  /**
   * Says that the answer is not the final one: the next try keeps these rows, in the order of the
   * items, and does those that are null.
   */
  leaveOpen(rows: readonly unknown[]): void {
    this.openRows = rows;
  }

  /** The rows of an answer that is not the final one. */
  get unfinishedRows(): readonly unknown[] | null {
    return this.openRows;
  }
}
