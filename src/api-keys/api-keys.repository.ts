import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { isDuplicateKey } from '../common/database-fault';
import type { ApiKey } from './api-key';
import { ApiKeyRecord, toApiKey } from './api-key.schema';
import { WITHOUT_INDEXES } from '../infrastructure/mongo/write-barrier';

export type NewApiKey = Pick<
  ApiKey,
  'id' | 'ownerId' | 'name' | 'description' | 'scopes' | 'prefix' | 'expiresAt'
> & { readonly digest: string };

@Injectable()
export class ApiKeysRepository {
  constructor(@InjectModel(ApiKeyRecord.name) private readonly keys: Model<ApiKeyRecord>) {}

  async takenPlaces(ownerId: string): Promise<Set<number>> {
    const live = { owner: ownerId, place: { $ne: null } };
    const records = await this.keys.find(live, { place: 1 }).lean<{ place: number }[]>();
    return new Set(records.map((record) => record.place));
  }

  /** Stores the key in a slot. Returns null if the slot is taken or the key is already stored. */
  async insert(key: NewApiKey, place: number, now: Date): Promise<ApiKey | null> {
    const record: ApiKeyRecord = {
      _id: new Types.ObjectId(key.id),
      owner: new Types.ObjectId(key.ownerId),
      name: key.name,
      description: key.description,
      scopes: [...key.scopes],
      digest: key.digest,
      prefix: key.prefix,
      created_at: now,
      expires_at: key.expiresAt,
      last_used_at: null,
      place,
    };
    try {
      await this.keys.create([record]);
    } catch (error) {
      if (isDuplicateKey(error)) return null;
      throw error;
    }
    return toApiKey(record);
  }

  async findByOwner(ownerId: string): Promise<ApiKey[]> {
    const oldestFirst = { created_at: 1, _id: 1 } as const;
    const records = await this.keys
      .find({ owner: ownerId })
      .sort(oldestFirst)
      .lean<ApiKeyRecord[]>();
    return records.map(toApiKey);
  }

  /** Returns the number of active keys by owner. The map omits owners without active keys. */
  async countByOwner(ownerIds: readonly string[]): Promise<Map<string, number>> {
    const owners = ownerIds.map((id) => new Types.ObjectId(id));
    const counts = await this.keys.aggregate<{ _id: Types.ObjectId; count: number }>([
      { $match: { owner: { $in: owners }, place: { $ne: null } } },
      { $group: { _id: '$owner', count: { $sum: 1 } } },
    ]);
    return new Map(counts.map(({ _id, count }) => [_id.toHexString(), count]));
  }

  async findById(id: string): Promise<ApiKey | null> {
    const record = await this.keys.findById(id).lean<ApiKeyRecord>();
    return record === null ? null : toApiKey(record);
  }

  /** Also finds revoked keys. */
  async findByDigest(digest: string): Promise<ApiKey | null> {
    const record = await this.keys.findOne({ digest }).lean<ApiKeyRecord>();
    return record === null ? null : toApiKey(record);
  }

  async revoke(id: string): Promise<void> {
    await this.keys.updateOne({ _id: id }, { $set: { place: null } });
  }

  async remove(id: string): Promise<void> {
    await this.keys.deleteOne({ _id: id });
  }

  /** Stores the last use time unless the stored time is later than `unlessAfter`. */
  async noteUse(id: string, now: Date, unlessAfter: Date): Promise<void> {
    await this.keys.updateOne(
      { _id: id, $or: [{ last_used_at: null }, { last_used_at: { $lte: unlessAfter } }] },
      { $set: { last_used_at: now } },
      WITHOUT_INDEXES,
    );
  }

  async removeCreatedSince(ownerId: string, since: Date): Promise<void> {
    await this.keys.deleteMany({ owner: ownerId, created_at: { $gte: since } });
  }

  async removeByAccount(ownerId: string): Promise<void> {
    await this.keys.deleteMany({ owner: ownerId });
  }
}
