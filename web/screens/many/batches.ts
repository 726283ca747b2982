import type { Line } from './lines';

/** Links that one request makes, and kinds of passwords that it may have (docs/contract.md#20.1). */
export const BATCH = { links: 100, passwords: 10 } as const;

/** Became of a line: its short URL, or the reason why there is none. */
export type Outcome = { readonly shortUrl: string } | { readonly refusal: string };

/** Lines that are sent by one request, which can be repeated: the key makes it one. */
export interface Batch {
  readonly key: string;
  readonly lines: readonly Line[];
  /** Undefined until the service has answered. */
  readonly outcomes?: readonly Outcome[];
}

/** @param run begins the keys of the batches: the same run sends the same lines under the same keys */
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
 * Sends the batches that have no answer yet, one after another, and tells of each. Ends with the
 * first failure; the batches that it leaves are sent by the next call.
 *
 * @param send throws where there is no answer
 * @param told hears of all batches after each answer
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
