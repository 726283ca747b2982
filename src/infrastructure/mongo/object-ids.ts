import { mongo } from 'mongoose';

export function newObjectId(): string {
  return new mongo.ObjectId().toHexString();
}
