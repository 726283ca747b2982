import { type mongo, Schema } from 'mongoose';

export const REMOVED_LINK_MODEL = 'RemovedLink';
export const REMOVED_LINKS = 'removed_links';

/**
 * Temporary notes on deletions: caches drop the link, and the clean-up finds what a crash or a
 * late click left.
 */
export interface RemovedLinkRecord {
  _id: mongo.ObjectId;
  owner: mongo.ObjectId | null;
  /** Database time of the deletion. */
  at: Date;
}

/** For indexes only; the repository bypasses mongoose. */
export const RemovedLinkSchema = new Schema<RemovedLinkRecord>(
  {},
  { collection: REMOVED_LINKS, versionKey: false, autoIndex: false, autoCreate: false },
);
RemovedLinkSchema.index({ owner: 1, at: 1 }, { name: 'owner' });
RemovedLinkSchema.index({ at: 1 }, { name: 'at' });
