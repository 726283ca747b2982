import { CorruptChunkError } from './engine.errors';
import type { Mark, MarkedLink } from './statistics-query';

/** An immutable block as a click store names it; times in milliseconds. */
export interface BlockEntry {
  id: string;
  n: number;
  from: number;
  to: number;
  bytes: number;
}

/**
 * The mark of one state of a click store. Every change raises the revision; a store that
 * a repair has removed begins at 1 again when it is recorded anew, with a total of its own.
 */
export type ClickStoreVersion = Pick<ClickStoreState, 'revision' | 'total'>;

/**
 * Inline chunks in the order in which they came, an array for each of their figures: an account may
 * have a hundred thousand of them.
 */
export interface InlineChunks {
  /** Clicks. */
  n: number[];
  /** Milliseconds. */
  from: number[];
  to: number[];
  /** Null where the bytes were not asked for. */
  data: Uint8Array[] | null;
}

/** A click store at one revision: inline chunks and blocks together are all clicks of the link. */
export interface ClickStoreState {
  linkId: string;
  revision: number;
  total: number;
  /** Time of its first and of its last click. */
  from: number;
  to: number;
  /** Chunks that are not in blocks yet. */
  inlineChunks: InlineChunks;
  blocks: BlockEntry[];
}

/** The links of an account, and what tells later how they have changed. */
export interface FollowedLinks {
  readonly links: readonly MarkedLink[];
  readonly follower: LinkFollower;
}

/** Links that are new, marked or named otherwise, or clicked since, as they are now. */
export interface LinkChanges extends FollowedLinks {
  /** Ids of links that are no longer the account's. */
  readonly gone: readonly string[];
}

/** Knows all that was written to an account's links until a time, and when clicks came. */
export interface LinkFollower {
  /** Memory that it takes. */
  readonly bytes: number;
  /**
   * Returns all that was acknowledged since, clicks included, but not that compaction has put clicks
   * into other blocks; null where all links are to be read again.
   */
  changes(): Promise<LinkChanges | null>;
}

/** Where the engine reads stored clicks; implemented by whoever stores them. */
export interface ChunkSource {
  /** All links of an account. */
  readLinks(ownerId: string): Promise<FollowedLinks>;
  /** The links with these ids, or those of an account that have one of the marks. */
  readMarkedLinks(
    which: { ids: readonly string[] } | { ownerId: string; marks: readonly string[] },
  ): Promise<MarkedLink[]>;
  /** All marks of an account, or those with these ids. */
  readMarks(which: { ids: readonly string[] } | { ownerId: string }): Promise<Mark[]>;
  /** The versions of the stores of the links, which cost less to read than their heads. */
  versions(linkIds: readonly string[]): Promise<Map<string, ClickStoreVersion>>;
  /** The stores of the links without the bytes of their inline chunks; a link without clicks has none. */
  heads(linkIds: readonly string[]): Promise<ClickStoreState[]>;
  /** The stores of the links, inline chunks included. */
  stores(linkIds: readonly string[]): Promise<ClickStoreState[]>;
  /** The bytes of blocks by id; a block that has been replaced meanwhile is left out. */
  blocks(ids: readonly string[]): Promise<Map<string, Uint8Array>>;
}

/** Throws when a click store's total is not what its chunks add up to: then no result can be right. */
export function assertBalanced({ linkId, total, inlineChunks, blocks }: ClickStoreState): void {
  let sum = 0;
  for (const n of inlineChunks.n) sum += n;
  for (const { n } of blocks) sum += n;
  if (sum === total) return;
  throw new CorruptChunkError(`the store of link ${linkId} says ${total}, its chunks ${sum}`);
}
