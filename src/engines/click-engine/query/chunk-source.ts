import { CorruptChunkError } from '../chunk/engine.errors';
import type { Mark, MarkedLink } from './statistics-query';

/** Metadata of an immutable block; times are in milliseconds. */
export interface BlockEntry {
  id: string;
  n: number;
  from: number;
  to: number;
  bytes: number;
}

/** A repair restarts a store at revision 1, but with a different total. */
export type ClickStoreVersion = Pick<ClickStoreState, 'revision' | 'total'>;

/** Chunks in arrival order, as parallel arrays; an account may have a hundred thousand. */
export interface InlineChunks {
  /** Number of clicks per chunk. */
  n: number[];
  /** First click time per chunk, in milliseconds. */
  from: number[];
  to: number[];
  /** Null if the bytes were not requested. */
  data: Uint8Array[] | null;
}

/** A click store's state; its inline chunks and blocks together hold all the link's clicks. */
export interface ClickStoreState {
  linkId: string;
  revision: number;
  total: number;
  from: number;
  to: number;
  /** Only clicks from visits that began after this time are stored. */
  since?: number;
  /** Chunks that compaction has not yet moved into blocks. */
  inlineChunks: InlineChunks;
  blocks: BlockEntry[];
}

export interface FollowedLinks {
  readonly links: readonly MarkedLink[];
  readonly follower: LinkFollower;
}

/** Links that were created, renamed, retagged or clicked since the last call. */
export interface LinkChanges extends FollowedLinks {
  readonly gone: readonly string[];
}

export interface LinkFollower {
  readonly bytes: number;
  /** Null if all links must be read again. Compaction does not count as a change. */
  changes(): Promise<LinkChanges | null>;
}

export interface ChunkSource {
  readLinks(ownerId: string): Promise<FollowedLinks>;
  /** Reads links by ID, or an account's links that have any of the marks. */
  readMarkedLinks(
    which: { ids: readonly string[] } | { ownerId: string; marks: readonly string[] },
  ): Promise<MarkedLink[]>;
  /** Reads marks by ID, or all of an account's marks. */
  readMarks(which: { ids: readonly string[] } | { ownerId: string }): Promise<Mark[]>;
  /** Reads only revisions and totals, which is faster than `heads`. */
  versions(linkIds: readonly string[]): Promise<Map<string, ClickStoreVersion>>;
  /** Reads stores without inline chunk bytes; links without clicks are absent. */
  heads(linkIds: readonly string[]): Promise<ClickStoreState[]>;
  stores(linkIds: readonly string[]): Promise<ClickStoreState[]>;
  /** Reads bytes by block ID; blocks that compaction has replaced are absent. */
  blocks(ids: readonly string[]): Promise<Map<string, Uint8Array>>;
}

/** Throws if the chunks do not add up to the store's total, because results would be wrong. */
export function assertBalanced({ linkId, total, inlineChunks, blocks }: ClickStoreState): void {
  let sum = 0;
  for (const n of inlineChunks.n) sum += n;
  for (const { n } of blocks) sum += n;
  if (sum === total) return;
  throw new CorruptChunkError(`the store of link ${linkId} has ${total} clicks, its chunks ${sum}`);
}
