import type { Line } from './lines';

/** Maximum number of links and of different passwords per request (docs/contract.md#20.1). */
export const BATCH = { links: 100, passwords: 10 } as const;

/** A line's short URL, or the reason why there is none. */
export type Outcome = { readonly shortUrl: string } | { readonly refusal: string };

/** A request's lines. The key makes the request idempotent. */
export interface Batch {
  readonly key: string;
  readonly lines: readonly Line[];
  /** Undefined until the response arrives. */
  readonly outcomes?: readonly Outcome[];
}

/**
 * @param run prefix of the idempotency keys, so that the same run sends the same lines with the
 * same keys
 */
export function batchesOf(run: string, lines: readonly Line[]): readonly Batch[] {
  const batches: { key: string; lines: Line[] }[] = [];
  let passwords = new Set<string>();
  for (const line of lines) {
    const last = batches.at(-1);
    const { password } = line.input;
    const isNew = password !== undefined && !passwords.has(password);
    const isFull =
      last === undefined ||
      last.lines.length === BATCH.links ||
      (isNew && passwords.size === BATCH.passwords);
    if (isFull) {
      batches.push({ key: `${run}-${batches.length}`, lines: [line] });
      passwords = new Set();
    } else last.lines.push(line);
    if (password !== undefined) passwords.add(password);
  }
  return batches;
}

/**
 * Sends pending batches one by one. Stops at the first failure; a later call resumes.
 * @param send throws without a response
 * @param told receives all batches after each response
 */
export async function sendBatches(
  batches: readonly Batch[],
  send: (batch: Batch) => Promise<readonly Outcome[]>,
  told: (batches: readonly Batch[]) => void,
): Promise<void> {
  let all = batches;
  for (const [at, batch] of batches.entries()) {
    if (batch.outcomes !== undefined) continue;
    const outcomes = await send(batch);
    all = all.with(at, { ...batch, outcomes });
    told(all);
  }
}
