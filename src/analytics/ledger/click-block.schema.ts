import { Schema } from 'mongoose';
import { CLICK_BLOCKS, type StoredBlock } from './stored-ledger';

/** Immutable chunks. Read by id; by link only to remove them with it. */
export const ClickBlockSchema = new Schema<StoredBlock>(
  { link: Schema.Types.ObjectId, n: Number, from: Date, to: Date, data: Buffer },
  { collection: CLICK_BLOCKS, versionKey: false, autoIndex: false, autoCreate: false },
);
ClickBlockSchema.index({ link: 1 }, { name: 'link' });
