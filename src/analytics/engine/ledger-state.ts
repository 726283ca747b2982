import { CorruptChunkError } from '../ledger/chunk.errors';

/** A link whose clicks are counted. */
export interface LinkName {
  id: string;
  alias: string;
}

/** An immutable block as a ledger names it; times in milliseconds. */
export interface BlockEntry {
  id: string;
  n: number;
  from: number;
  to: number;
  bytes: number;
}

/** A ledger as it stood at revision `rev`: together, tail and blocks are all clicks of the link. */
export interface ClickStoreState {
  linkId: string;
  rev: number;
  total: number;
  tail: { n: number; data: Uint8Array | undefined }[];
  blocks: BlockEntry[];
}

/** Throws when a ledger's total is not what its chunks add up to: then no figure can be right. */
export function assertBalanced({ linkId, total, tail, blocks }: ClickStoreState): void {
  const sum = [...tail, ...blocks].reduce((clicks, { n }) => clicks + n, 0);
  if (sum === total) return;
  throw new CorruptChunkError(`the ledger of link ${linkId} says ${total}, its chunks ${sum}`);
}
