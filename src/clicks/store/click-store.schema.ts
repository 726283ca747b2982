import { type mongo, Schema } from 'mongoose';

/** A chunk that stands in the click store itself, not yet compacted. */
export interface StoredChunk {
  n: number;
  from: Date;
  to: Date;
  data: mongo.Binary;
}

/** Names an immutable block; only blocks that a click store names count. */
export interface StoredBlockRef {
  id: mongo.ObjectId;
  n: number;
  from: Date;
  to: Date;
  bytes: number;
}

/** Recorded clicks of one link. Its document has other names, see {@link StoredClickStore}. */
export interface ClickStoreRecord {
  /** The link's id. */
  _id: mongo.ObjectId;
  total: number;
  open: number;
  first: Date;
  last: Date;
  /** The chunks that are not in blocks yet. */
  inlineChunks: StoredChunk[];
  /** How many these are, and their bytes. */
  inlineCount: number;
  inlineBytes: number;
  blocks: StoredBlockRef[];
  /** Rises with every change. */
  revision: number;
  /** The number of the last batch of each recording node. */
  appliedBatches: Record<string, number>;
}

/** The fields that have shorter names in the database, since every document repeats them. */
export const STORED_NAMES = {
  inlineChunks: 'tail',
  inlineCount: 'tail_n',
  inlineBytes: 'tail_bytes',
  revision: 'rev',
  appliedBatches: 'marks',
} as const satisfies Partial<Record<keyof ClickStoreRecord, string>>;

type Renamed = typeof STORED_NAMES;

/** A document of `ledgers`: a click store under its stored names. */
export type StoredClickStore = {
  [
    Field in keyof ClickStoreRecord as Field extends keyof Renamed ? Renamed[Field] : Field
  ]: ClickStoreRecord[Field];
};

/** Reads a document. */
export function toClickStore(stored: StoredClickStore): ClickStoreRecord {
  const { tail, tail_n, tail_bytes, rev, marks, ...others } = stored;
  return {
    ...others,
    inlineChunks: tail,
    inlineCount: tail_n,
    inlineBytes: tail_bytes,
    revision: rev,
    appliedBatches: marks,
  };
}

/** A document of `click_blocks`: an immutable chunk. */
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

/** The bytes of a stored chunk, whatever form the driver gives them. */
export function binaryBytes(data: mongo.Binary | Uint8Array): Uint8Array {
  return data instanceof Uint8Array ? data : data.value();
}

const chunkSchema = { n: Number, from: Date, to: Date, data: Buffer };
const blockRef = { id: Schema.Types.ObjectId, n: Number, from: Date, to: Date, bytes: Number };

/** One document a link, found by the link's id alone: it needs no index of its own. */
export const ClickStoreSchema = new Schema<StoredClickStore>(
  {
    total: Number,
    open: Number,
    first: Date,
    last: Date,
    tail: [new Schema(chunkSchema, { _id: false })],
    tail_n: Number,
    tail_bytes: Number,
    blocks: [new Schema(blockRef, { _id: false })],
    rev: Number,
    marks: { type: Map, of: Number },
  },
  { collection: CLICK_STORES, versionKey: false, autoIndex: false, autoCreate: false },
);

/** Immutable chunks. Read by id; by link only to remove them with it. */
export const ClickBlockSchema = new Schema<StoredBlock>(
  { link: Schema.Types.ObjectId, n: Number, from: Date, to: Date, data: Buffer },
  { collection: CLICK_BLOCKS, versionKey: false, autoIndex: false, autoCreate: false },
);
ClickBlockSchema.index({ link: 1 }, { name: 'link' });
