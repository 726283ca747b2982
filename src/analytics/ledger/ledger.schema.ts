import { Schema } from 'mongoose';
import { CLICK_STORES, type ClickStoreRecord } from './stored-ledger';

const chunk = { n: Number, from: Date, to: Date, data: Buffer };
const blockRef = { id: Schema.Types.ObjectId, n: Number, from: Date, to: Date, bytes: Number };

/** One document a link, found by the link's id alone: it needs no index of its own. */
export const ClickStoreSchema = new Schema<ClickStoreRecord>(
  {
    total: Number,
    open: Number,
    first: Date,
    last: Date,
    tail: [new Schema(chunk, { _id: false })],
    tail_n: Number,
    tail_bytes: Number,
    blocks: [new Schema(blockRef, { _id: false })],
    rev: Number,
    marks: { type: Map, of: Number },
  },
  { collection: CLICK_STORES, versionKey: false, autoIndex: false, autoCreate: false },
);
