import { randomBytes } from 'node:crypto';
import { newObjectId } from '../infrastructure/mongo/object-ids';

/** An id chosen before any work, so that a retry creates nothing twice. */
export interface ChosenId {
  readonly id: string;
  /** An earlier attempt may have created the document, which is then the result. */
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

/** One attempt of a retryable request (docs/contract.md#20.3); nothing is stored without a key. */
export class Attempt {
  private readonly freshIds = new Map<number, string>();
  private openRows: readonly unknown[] | null = null;

  constructor(private readonly memory: AttemptMemory | null = null) {}

  /** Whether an earlier attempt has no final answer and may have done part of the work. */
  get isRepeated(): boolean {
    return this.memory?.isRepeated ?? false;
  }

  /** Id of the document that the item creates, equal in every attempt. */
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

  /** Documents found by the first attempt: any missing since were deleted by an earlier attempt. */
  async targets(find: () => Promise<readonly string[]>): Promise<readonly string[]> {
    if (this.memory === null) return find();
    if (this.memory.targets !== null) return this.memory.targets;
    const found = await find();
    await this.memory.keepTargets(found);
    return found;
  }

  /** 32 secret bytes, equal in every attempt, from which a token can be derived. */
  secret(): Buffer {
    return this.memory?.secret() ?? randomBytes(32);
  }

  /** Marks the answer as not final: the next attempt keeps these rows and redoes the null rows. */
  leaveOpen(rows: readonly unknown[]): void {
    this.openRows = rows;
  }

  get unfinishedRows(): readonly unknown[] | null {
    return this.openRows;
  }
}
