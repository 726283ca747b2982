import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { isDuplicateKey } from '../../common/database-fault';
import type { Tag, TagColor } from './tag';
import { TagRecord, toTag } from './tag.schema';

export type NewTag = Pick<Tag, 'name' | 'key' | 'color'> & { readonly id?: string };

@Injectable()
export class TagsRepository {
  constructor(@InjectModel(TagRecord.name) private readonly tags: Model<TagRecord>) {}

  async findByOwner(ownerId: string): Promise<Tag[]> {
    const records = await this.tags.find({ owner: ownerId }).lean<TagRecord[]>();
    return records.map(toTag);
  }

  async findOwn(ownerId: string, id: string): Promise<Tag | null> {
    const record = await this.tags.findOne({ _id: id, owner: ownerId }).lean<TagRecord>();
    return record === null ? null : toTag(record);
  }

  countByOwner(ownerId: string): Promise<number> {
    return this.tags.countDocuments({ owner: ownerId });
  }

  /** Null if the account already has a tag with this key. */
  async insert(ownerId: string, { id, ...tag }: NewTag, now: Date): Promise<Tag | null> {
    const record: TagRecord = {
      _id: new Types.ObjectId(id),
      owner: new Types.ObjectId(ownerId),
      ...tag,
      created_at: now,
    };
    return nullIfKeyTaken(async () => {
      await this.tags.create([record]);
      return toTag(record);
    });
  }

  /** `taken` if another tag has the key; null if the tag does not exist. */
  async change(
    ownerId: string,
    id: string,
    change: { name?: string; key?: string; color?: TagColor },
  ): Promise<Tag | 'taken' | null> {
    const which = { _id: id, owner: ownerId };
    const changed = await nullIfKeyTaken(async () => ({
      record: await this.tags
        .findOneAndUpdate(which, { $set: change }, { returnDocument: 'after' })
        .lean<TagRecord>(),
    }));
    if (changed === null) return 'taken';
    return changed.record === null ? null : toTag(changed.record);
  }

  /** Returns whether the tag existed. */
  async remove(ownerId: string, id: string): Promise<boolean> {
    return (await this.tags.deleteOne({ _id: id, owner: ownerId })).deletedCount === 1;
  }

  async removeByAccount(ownerId: string): Promise<void> {
    await this.tags.deleteMany({ owner: ownerId });
  }
}

async function nullIfKeyTaken<T>(write: () => Promise<T>): Promise<T | null> {
  try {
    return await write();
  } catch (error) {
    if (isDuplicateKey(error)) return null;
    throw error;
  }
}
