import { type mongo, Schema } from 'mongoose';

export const REMOVED_LINK_MODEL = 'RemovedLink';
export const REMOVED_LINKS = 'removed_links';

/**
 * Notes a deleted link for some time: caches drop the link, and the cleanup deletes data that a
 * crash or a late click has left behind.
 */
export interface RemovedLinkRecord {
  _id: mongo.ObjectId;
  owner: mongo.ObjectId | null;
  /** Database time at which the link was deleted. */
  at: Date;
}

/** Only defines indexes, because the repository does not use mongoose. */
export const RemovedLinkSchema = new Schema<RemovedLinkRecord>(
  {},
  { collection: REMOVED_LINKS, versionKey: false, autoIndex: false, autoCreate: false },
);
RemovedLinkSchema.index({ owner: 1, at: 1 }, { name: 'owner' });
RemovedLinkSchema.index({ at: 1 }, { name: 'at' });
