import { type mongo, Schema } from 'mongoose';

/** Name of the model that the indexes are made by. */
export const REMOVED_LINK_MODEL = 'RemovedLink';
export const REMOVED_LINKS = 'removed_links';

/**
 * Notes for some time that a link was to be removed: lists and statistics in memory hear of it, and
 * what a crash or a late click has left of the link is found by it. Its `_id` is the link's.
 */
export interface RemovedLinkRecord {
  _id: mongo.ObjectId;
  /** Null of a link that was nobody's. */
  owner: mongo.ObjectId | null;
  /** Database time of the removal. */
  at: Date;
}

/** Indexes of the collection; the repository reads and writes it past mongoose. */
export const RemovedLinkSchema = new Schema<RemovedLinkRecord>(
  {},
  { collection: REMOVED_LINKS, versionKey: false, autoIndex: false, autoCreate: false },
);
RemovedLinkSchema.index({ owner: 1, at: 1 }, { name: 'owner' });
RemovedLinkSchema.index({ at: 1 }, { name: 'at' });
