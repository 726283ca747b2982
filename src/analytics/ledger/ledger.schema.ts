import { Schema } from 'mongoose';
import { LEDGERS, type StoredLedger } from './stored-ledger';

const chunk = { n: Number, from: Date, to: Date, data: Buffer };
const blockRef = { id: Schema.Types.ObjectId, n: Number, from: Date, to: Date, bytes: Number };

/** One document a link, found by the link's id alone: it needs no index of its own. */
export const LedgerSchema = new Schema<StoredLedger>(
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
  { collection: LEDGERS, versionKey: false, autoIndex: false, autoCreate: false },
);
