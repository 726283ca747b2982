import { randomBytes } from 'node:crypto';
import { newObjectId } from '../infrastructure/mongo/object-ids';

/** An id chosen before any work, so that a retry creates no second document. */
export interface ChosenId {
  readonly id: string;
  /** Whether an earlier attempt may have created the document, which is then the result. */
  readonly isRepeated: boolean;
}

export interface AttemptMemory {
  readonly ids: readonly string[];
  readonly isRepeated: boolean;
  /** Results of earlier attempts; null for items that failed. */
  readonly rows: readonly unknown[];
  readonly targets: readonly string[] | null;
  keepTargets(targets: readonly string[]): Promise<void>;
  secret(): Buffer;
}

/** An attempt at a retryable request (docs/contract.md#20.3). Stores nothing without a key. */
export class Attempt {
  private readonly freshIds = new Map<number, string>();
  private openRows: readonly unknown[] | null = null;

  constructor(private readonly memory: AttemptMemory | null = null) {}

  /** Whether an earlier attempt ended without a response and may have done part of the work. */
  get isRepeated(): boolean {
    return this.memory?.isRepeated ?? false;
  }

  /** Returns the id of the document that the item creates, the same in every attempt. */
  documentId(index = 0): string {
    const id = this.memory?.ids[index] ?? this.freshIds.get(index) ?? newObjectId();
    this.freshIds.set(index, id);
    return id;
  }

  chosenId(index = 0): ChosenId {
    return { id: this.documentId(index), isRepeated: this.isRepeated };
  }

  doneRow(index: number): unknown {
    return this.memory?.rows[index] ?? undefined;
  }

  /** Returns ids that the first attempt found. Any now missing have been deleted. */
  async targets(find: () => Promise<readonly string[]>): Promise<readonly string[]> {
    if (this.memory === null) return find();
    if (this.memory.targets !== null) return this.memory.targets;
    const found = await find();
    await this.memory.keepTargets(found);
    return found;
  }

  /** Returns 32 secret bytes for a token, the same in every attempt. */
  secret(): Buffer {
    return this.memory?.secret() ?? randomBytes(32);
  }

  /** Marks the response as not final. The next attempt keeps these rows and repeats null rows. */
  leaveOpen(rows: readonly unknown[]): void {
    this.openRows = rows;
  }

  get unfinishedRows(): readonly unknown[] | null {
    return this.openRows;
  }
}
