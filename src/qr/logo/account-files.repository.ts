import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { createHash } from 'node:crypto';
import { Model, mongo } from 'mongoose';
import { AccountFileRecord } from './account-file.schema';

export const ACCOUNT_FILE_NAMES = ['qr-logo'] as const;
export type AccountFileName = (typeof ACCOUNT_FILE_NAMES)[number];

export interface AccountFile {
  readonly type: string;
  readonly data: Buffer;
  readonly etag: string;
}

@Injectable()
export class AccountFilesRepository {
  constructor(
    @InjectModel(AccountFileRecord.name) private readonly files: Model<AccountFileRecord>,
  ) {}

  async find(ownerId: string, name: AccountFileName): Promise<AccountFile | null> {
    const found = await this.files.findOne({ _id: recordId(ownerId, name) }).lean();
    if (found === null) return null;
    return { type: found.type, data: Buffer.from(found.data.buffer), etag: found.etag };
  }

  async put(
    ownerId: string,
    name: AccountFileName,
    { type, data }: Omit<AccountFile, 'etag'>,
  ): Promise<void> {
    const etag = createHash('sha256').update(data).digest('base64url').slice(0, 22);
    const stored = { type, data: new mongo.Binary(data), etag };
    await this.files.updateOne(
      { _id: recordId(ownerId, name) },
      { $set: stored },
      { upsert: true },
    );
  }

  async remove(ownerId: string, name: AccountFileName): Promise<void> {
    await this.files.deleteOne({ _id: recordId(ownerId, name) });
  }

  async removeByAccount(ownerId: string): Promise<void> {
    await this.files.deleteMany({
      _id: { $in: ACCOUNT_FILE_NAMES.map((name) => recordId(ownerId, name)) },
    });
  }
}

function recordId(ownerId: string, name: AccountFileName): AccountFileRecord['_id'] {
  return { account: new mongo.ObjectId(ownerId), name };
}
