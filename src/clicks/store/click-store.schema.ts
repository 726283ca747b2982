import { type mongo, Schema } from 'mongoose';

export interface StoredChunk {
  n: number;
  from: Date;
  to: Date;
  data: mongo.Binary;
}

/** Reference to an immutable block; blocks without a reference are ignored. */
export interface StoredBlockRef {
  id: mongo.ObjectId;
  n: number;
  from: Date;
  to: Date;
  bytes: number;
}

/** A link's recorded clicks; stored under shorter names, see {@link StoredClickStore}. */
export interface ClickStoreRecord {
  _id: mongo.ObjectId;
  total: number;
  open: number;
  /** Null without clicks. */
  first: Date | null;
  last: Date | null;
  /** Only clicks from visits that began after this time are stored; absent until a deletion. */
  since?: Date;
  /** True if the totals must be counted again in ClickHouse, because of a deletion. */
  recount?: true;
  /** Chunks that have not been moved into blocks. */
  inlineChunks: StoredChunk[];
  /** Number and total bytes of the inline chunks. */
  inlineCount: number;
  inlineBytes: number;
  blocks: StoredBlockRef[];
  revision: number;
  /** Last batch number by recording node. */
  appliedBatches: Record<string, number>;
}

/** Field names are short, because every document contains them. */
export const STORED_NAMES = {
  inlineChunks: 'tail',
  inlineCount: 'tail_n',
  inlineBytes: 'tail_bytes',
  revision: 'rev',
  appliedBatches: 'marks',
} as const satisfies Partial<Record<keyof ClickStoreRecord, string>>;

type Renamed = typeof STORED_NAMES;

/** Document in the `ledgers` collection, with its stored field names. */
export type StoredClickStore = {
  [
    Field in keyof ClickStoreRecord as Field extends keyof Renamed ? Renamed[Field] : Field
  ]: ClickStoreRecord[Field];
};

export function toClickStore(stored: StoredClickStore): ClickStoreRecord {
  const { tail, tail_n, tail_bytes, rev, marks, first, last, ...others } = stored;
  return {
    ...others,
    first: first ?? null,
    last: last ?? null,
    inlineChunks: tail,
    inlineCount: tail_n,
    inlineBytes: tail_bytes,
    revision: rev,
    appliedBatches: marks,
  };
}

/** Document of `click_blocks`: an immutable chunk. */
export interface StoredBlock {
  _id: mongo.ObjectId;
  link: mongo.ObjectId;
  n: number;
  from: Date;
  to: Date;
  data: mongo.Binary;
}

export const CLICK_STORES = 'ledgers';
export const CLICK_BLOCKS = 'click_blocks';

/** The driver may return binary data as a Binary object or as bytes. */
export function binaryBytes(data: mongo.Binary | Uint8Array): Uint8Array {
  return data instanceof Uint8Array ? data : data.value();
}

const chunkSchema = { n: Number, from: Date, to: Date, data: Buffer };
const blockRef = { id: Schema.Types.ObjectId, n: Number, from: Date, to: Date, bytes: Number };

/** `_id` is the link's id, so no other index is needed. */
export const ClickStoreSchema = new Schema<StoredClickStore>(
  {
    total: Number,
    open: Number,
    first: Date,
    last: Date,
    since: Date,
    recount: Boolean,
    tail: [new Schema(chunkSchema, { _id: false })],
    tail_n: Number,
    tail_bytes: Number,
    blocks: [new Schema(blockRef, { _id: false })],
    rev: Number,
    marks: { type: Map, of: Number },
  },
  { collection: CLICK_STORES, versionKey: false, autoIndex: false, autoCreate: false },
);

/** Immutable chunks, read by id; the index by link is only used to delete them. */
export const ClickBlockSchema = new Schema<StoredBlock>(
  { link: Schema.Types.ObjectId, n: Number, from: Date, to: Date, data: Buffer },
  { collection: CLICK_BLOCKS, versionKey: false, autoIndex: false, autoCreate: false },
);
ClickBlockSchema.index({ link: 1 }, { name: 'link' });
