import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model } from 'mongoose';
import { isDuplicateKey } from '../../common/database-fault';
import { CODE_PURPOSES, CODE_TRIES, type CodePurpose, CodeRecord } from './code.schema';

@Injectable()
export class CodesRepository {
  constructor(@InjectModel(CodeRecord.name) private readonly codes: Model<CodeRecord>) {}

  /** @param address that the code is sent to, if it is not the account's */
  async put(
    userId: string,
    purpose: CodePurpose,
    hash: string,
    expiresAt: Date,
    address?: string,
  ): Promise<void> {
    const write = () =>
      this.codes.updateOne(
        { _id: toCodeId(userId, purpose) },
        { $set: { hash, tries: 0, tries_by: {}, address, expires_at: expiresAt } },
        { upsert: true },
      );
    await write().catch((error: unknown) =>
      isDuplicateKey(error) ? write() : Promise.reject(error as Error),
    );
  }

  async findAddress(userId: string, purpose: CodePurpose): Promise<string | null> {
    const record = await this.codes
      .findById(toCodeId(userId, purpose), { address: 1 })
      .lean<Pick<CodeRecord, 'address'>>();
    return record?.address ?? null;
  }

  /** Returns null if there is no valid code or this client is blocked. @param client hex digits */
  async takeTry(
    userId: string,
    purpose: CodePurpose,
    client: string,
    now: Date,
  ): Promise<string | null> {
    const triesOfClient = `tries_by.${client}`;
    const record = await this.codes
      .findOneAndUpdate(
        {
          _id: toCodeId(userId, purpose),
          tries: { $lt: CODE_TRIES.ofAll },
          [triesOfClient]: { $not: { $gte: CODE_TRIES.ofClient } },
          expires_at: { $gt: now },
        },
        { $inc: { tries: 1, [triesOfClient]: 1 } },
      )
      .lean<CodeRecord>();
    return record === null ? null : record.hash;
  }

  async isValid(userId: string, purpose: CodePurpose, hash: string, now: Date): Promise<boolean> {
    const valid = { _id: toCodeId(userId, purpose), hash, expires_at: { $gt: now } };
    return (await this.codes.exists(valid)) !== null;
  }

  /** Refunds an attempt at the code with this hash, not at a newer code. */
  async giveTryBack(
    userId: string,
    purpose: CodePurpose,
    { hash, client }: { readonly hash: string; readonly client: string },
  ): Promise<void> {
    await this.codes.updateOne(
      { _id: toCodeId(userId, purpose), hash },
      { $inc: { tries: -1, [`tries_by.${client}`]: -1 } },
    );
  }

  /** Returns false if the code was used or replaced concurrently. */
  async consume(userId: string, purpose: CodePurpose, hash: string): Promise<boolean> {
    const { deletedCount } = await this.codes.deleteOne({ _id: toCodeId(userId, purpose), hash });
    return deletedCount === 1;
  }

  async removeByAccount(userId: string): Promise<void> {
    const ids = CODE_PURPOSES.map((purpose) => toCodeId(userId, purpose));
    await this.codes.deleteMany({ _id: { $in: ids } });
  }
}

function toCodeId(userId: string, purpose: CodePurpose): string {
  return `${purpose}:${userId}`;
}
