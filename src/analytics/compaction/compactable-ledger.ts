/** A stored block as a ledger names it. */
export interface BlockRef {
  id: string;
  n: number;
  /** Milliseconds. */
  from: number;
  to: number;
  bytes: number;
}

/** What compaction needs of a ledger, read at revision `rev`. */
export interface CompactableClickStore {
  linkId: string;
  rev: number;
  tail: { n: number; data: Uint8Array }[];
  tailBytes: number;
  blocks: BlockRef[];
}

/** A block that is about to be stored. */
export interface NewBlock {
  linkId: string;
  n: number;
  from: number;
  to: number;
  data: Uint8Array;
}
