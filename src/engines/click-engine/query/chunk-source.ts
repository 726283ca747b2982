import { CorruptChunkError } from '../chunk/engine.errors';
import type { Mark, MarkedLink } from './statistics-query';

/** Metadata of an immutable block; times in milliseconds. */
export interface BlockEntry {
  id: string;
  n: number;
  from: number;
  to: number;
  bytes: number;
}

/** A store recreated by a repair restarts at revision 1, with another total. */
export type ClickStoreVersion = Pick<ClickStoreState, 'revision' | 'total'>;

/** Column arrays in order of arrival; an account may have a hundred thousand chunks. */
export interface InlineChunks {
  /** Clicks per chunk. */
  n: number[];
  /** Milliseconds. */
  from: number[];
  to: number[];
  /** Null if bytes were not requested. */
  data: Uint8Array[] | null;
}

/** A click store at one revision: inline chunks and blocks hold all clicks of the link. */
export interface ClickStoreState {
  linkId: string;
  revision: number;
  total: number;
  from: number;
  to: number;
  /** Chunks not yet compacted into blocks. */
  inlineChunks: InlineChunks;
  blocks: BlockEntry[];
}

export interface FollowedLinks {
  readonly links: readonly MarkedLink[];
  readonly follower: LinkFollower;
}

/** Current state of links that are new, renamed, retagged or clicked since. */
export interface LinkChanges extends FollowedLinks {
  readonly gone: readonly string[];
}

export interface LinkFollower {
  readonly bytes: number;
  /** Includes clicks but not compactions; null if all links must be read again. */
  changes(): Promise<LinkChanges | null>;
}

export interface ChunkSource {
  readLinks(ownerId: string): Promise<FollowedLinks>;
  /** Links by ID, or an account's links that have any of the marks. */
  readMarkedLinks(
    which: { ids: readonly string[] } | { ownerId: string; marks: readonly string[] },
  ): Promise<MarkedLink[]>;
  /** Marks by ID, or all marks of an account. */
  readMarks(which: { ids: readonly string[] } | { ownerId: string }): Promise<Mark[]>;
  /** Cheaper to read than heads. */
  versions(linkIds: readonly string[]): Promise<Map<string, ClickStoreVersion>>;
  /** Stores without the bytes of inline chunks; links without clicks are absent. */
  heads(linkIds: readonly string[]): Promise<ClickStoreState[]>;
  stores(linkIds: readonly string[]): Promise<ClickStoreState[]>;
  /** Bytes by block ID; blocks replaced in the meantime are absent. */
  blocks(ids: readonly string[]): Promise<Map<string, Uint8Array>>;
}

/** Throws if chunks do not add up to the store's total: no result can then be correct. */
export function assertBalanced({ linkId, total, inlineChunks, blocks }: ClickStoreState): void {
  let sum = 0;
  for (const n of inlineChunks.n) sum += n;
  for (const { n } of blocks) sum += n;
  if (sum === total) return;
  throw new CorruptChunkError(`the store of link ${linkId} has ${total} clicks, its chunks ${sum}`);
}
