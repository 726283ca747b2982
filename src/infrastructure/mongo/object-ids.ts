import { mongo } from 'mongoose';

/** An id for a document that is made later, or perhaps never. */
export function newObjectId(): string {
  return new mongo.ObjectId().toHexString();
}
