import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { containing } from '../../infrastructure/mongo/find';
import { DURABLE } from '../../infrastructure/mongo/write-barrier';
import { BlockedHostRecord } from './blocked-host.schema';

export interface BlockedHost {
  readonly host: string;
  readonly reason: string | null;
  readonly createdAt: Date;
  readonly by: string | null;
}

@Injectable()
export class BlockedHostsRepository {
  constructor(
    @InjectModel(BlockedHostRecord.name) private readonly hosts: Model<BlockedHostRecord>,
  ) {}

  async names(): Promise<string[]> {
    const records = await this.hosts.find({}, { _id: 1 }).lean<{ _id: string }[]>();
    return records.map(({ _id }) => _id);
  }

  count(): Promise<number> {
    return this.hosts.countDocuments();
  }

  async find(host: string): Promise<BlockedHost | null> {
    const record = await this.hosts.findById(host).lean<BlockedHostRecord>();
    return record === null ? null : toBlockedHost(record);
  }

  /** Returns the newest hosts that contain the text first. */
  async page(
    text: string,
    { page, pageSize }: { readonly page: number; readonly pageSize: number },
  ): Promise<{ readonly hosts: BlockedHost[]; readonly total: number }> {
    const which = text === '' ? {} : { _id: containing(text) };
    const newest = this.hosts.find(which).sort({ created_at: -1, _id: -1 });
    const [records, total] = await Promise.all([
      newest
        .skip((page - 1) * pageSize)
        .limit(pageSize)
        .lean<BlockedHostRecord[]>(),
      this.hosts.countDocuments(which),
    ]);
    return { hosts: records.map(toBlockedHost), total };
  }

  /** Stores the host, or replaces the reason if it is already stored. */
  async save({ host, reason, createdAt, by }: BlockedHost): Promise<void> {
    const first = { created_at: createdAt, by: by === null ? null : new Types.ObjectId(by) };
    const update = { $set: { reason }, $setOnInsert: first };
    await this.hosts.updateOne({ _id: host }, update, { upsert: true, ...DURABLE });
  }

  async remove(host: string): Promise<void> {
    await this.hosts.deleteOne({ _id: host }, DURABLE);
  }
}

function toBlockedHost({ _id, reason, created_at, by }: BlockedHostRecord): BlockedHost {
  return { host: _id, reason, createdAt: created_at, by: by?.toHexString() ?? null };
}
