import { createHash } from 'node:crypto';
import type { ClickBatchEntry } from './ledger-entry';

/** Clicks of many links that are recorded together, under one number. */
export interface ClickBatch {
  /** Who records: 8 hex characters, one installation's own. */
  node: string;
  /** Rises from batch to batch of a node; a repeated batch has its old number. */
  number: number;
  entries: readonly ClickBatchEntry[];
}

/**
 * Id of a block that a batch stores: an ObjectId (24 hex) that is the same whenever the batch is
 * repeated. Its time is the batch's, whose number is a time in milliseconds.
 */
export function blockIdOf(batch: ClickBatch, linkId: string, part: number): string {
  const seconds = Math.floor(batch.number / 1000) % 2 ** 32;
  const rest = createHash('sha256')
    .update(`${linkId}.${batch.node}.${batch.number}.${part}`)
    .digest('hex')
    .slice(0, 16);
  return seconds.toString(16).padStart(8, '0') + rest;
}
