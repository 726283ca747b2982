import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model } from 'mongoose';
import { isDuplicateKey } from '../../common/database-fault';
import {
  ACCOUNT_TRIES,
  CODE_PURPOSES,
  CODE_TRIES,
  type CodePurpose,
  CodeRecord,
  RESET_MAILS,
} from './code.schema';
import { CodeBudgetRecord, type TryRecord } from './code-budget.schema';

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

/** Limits an account's attempts and emails across all codes. Each step is one atomic write. */
@Injectable()
export class CodeBudgetsRepository {
  constructor(
    @InjectModel(CodeBudgetRecord.name) private readonly budgets: Model<CodeBudgetRecord>,
  ) {}

  /** The attempt counts as failed until it is refunded. Returns null if no attempts remain. */
  async takeTry(id: string, now: Date): Promise<string | null> {
    const entry = { id: randomUUID(), at: now };
    const isLeft = { $lt: [{ $size: '$tries' }, ACCOUNT_TRIES.most] };
    const { tries } = await this.append(id, 'tries', entry, isLeft);
    return tries.some((taken) => taken.id === entry.id) ? entry.id : null;
  }

  async giveBack(id: string, taken: string): Promise<void> {
    await this.budgets.updateOne({ _id: id }, { $pull: { tries: { id: taken } } });
  }

  /** Locks the account if no attempts remain. Returns true only for the call that locks it. */
  async lock(id: string, now: Date): Promise<boolean> {
    const until = new Date(now.getTime() + ACCOUNT_TRIES.ms);
    const { modifiedCount } = await this.budgets.updateOne(
      { _id: id, [`tries.${ACCOUNT_TRIES.most - 1}`]: { $exists: true } },
      { $set: { tries: [], locked_until: until, expires_at: until } },
    );
    return modifiedCount === 1;
  }

  async isLocked(id: string, now: Date): Promise<boolean> {
    return (await this.budgets.exists({ _id: id, locked_until: { $gt: now } })) !== null;
  }

  /**
   * Reserves the last email for a client that has not requested one, so that strangers cannot use
   * it up.
   */
  async takeMail(id: string, client: string, now: Date): Promise<boolean> {
    const entry = { id: randomUUID(), at: now, client };
    const count = { $size: '$mails' };
    const isNew = { $not: [{ $in: [client, '$mails.client'] }] };
    const isLeft = {
      $or: [
        { $lt: [count, RESET_MAILS.most - 1] },
        { $and: [{ $lt: [count, RESET_MAILS.most] }, isNew] },
      ],
    };
    const { mails } = await this.append(id, 'mails', entry, isLeft);
    return mails.some((taken) => taken.id === entry.id);
  }

  private async append(
    id: string,
    list: 'tries' | 'mails',
    entry: TryRecord,
    isLeft: object,
  ): Promise<CodeBudgetRecord> {
    const now = entry.at;
    const isLocked = { $gt: ['$locked_until', now] };
    const isAdded = { $and: [isLeft, { $not: [isLocked] }] };
    const added = { $concatArrays: [`$${list}`, [{ $literal: entry }]] };
    const stages = [
      {
        $set: {
          tries: newerThan(now.getTime() - ACCOUNT_TRIES.ms, '$tries'),
          mails: newerThan(now.getTime() - RESET_MAILS.ms, '$mails'),
          locked_until: { $ifNull: ['$locked_until', null] },
          expires_at: new Date(now.getTime() + ACCOUNT_TRIES.ms),
        },
      },
      { $set: { [list]: { $cond: [isAdded, added, `$${list}`] } } },
    ];
    const write = () =>
      this.budgets
        .findOneAndUpdate({ _id: id }, stages, {
          upsert: true,
          returnDocument: 'after',
          updatePipeline: true,
        })
        .lean<CodeBudgetRecord>()
        .orFail();
    // If two first writes race, the retry finds the document.
    return write().catch((error: unknown) => {
      if (isDuplicateKey(error)) return write();
      throw error;
    });
  }

  async removeByAccount(userId: string): Promise<void> {
    await this.budgets.deleteOne({ _id: userId });
  }
}

function newerThan(ms: number, list: string): object {
  const cond = { $gt: ['$$this.at', new Date(ms)] };
  return { $filter: { input: { $ifNull: [list, []] }, cond } };
}
