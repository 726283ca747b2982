import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import type { Account } from '../account';
import type { Session, SignInMethod } from './session';
import { SessionRecord } from './session.schema';

/** One link of the chain: the digest that is spent, the one that follows, and its end. */
export interface Rotation {
  readonly spent: string;
  readonly next: string;
  readonly now: Date;
  readonly expiresAt: Date;
}

/** Stored sign-ins; every change is one atomic write. */
@Injectable()
export class SessionsRepository {
  constructor(@InjectModel(SessionRecord.name) private readonly sessions: Model<SessionRecord>) {}

  newId(): string {
    return new Types.ObjectId().toHexString();
  }

  async insert(
    id: string,
    account: Account,
    methods: readonly SignInMethod[],
    live: string,
    expiresAt: Date,
  ): Promise<void> {
    await this.sessions.create([
      {
        _id: new Types.ObjectId(id),
        user: new Types.ObjectId(account.id),
        epoch: account.sessionEpoch,
        methods: [...methods],
        live,
        expires_at: expiresAt,
      },
    ]);
  }

  /** Replaces the live token if it is the presented one; null when it is not, or the session ended. */
  async rotate(id: string, account: Account, rotation: Rotation): Promise<Session | null> {
    const record = await this.sessions
      .findOneAndUpdate(
        {
          _id: id,
          user: account.id,
          epoch: account.sessionEpoch,
          live: rotation.spent,
          expires_at: { $gt: rotation.now },
        },
        { $set: { live: rotation.next, expires_at: rotation.expiresAt } },
      )
      .lean<SessionRecord>();
    return record === null ? null : { id, userId: account.id, methods: record.methods };
  }

  async isLive(id: string, account: Account, now: Date): Promise<boolean> {
    const live = {
      _id: id,
      user: account.id,
      epoch: account.sessionEpoch,
      expires_at: { $gt: now },
    };
    return (await this.sessions.exists(live)) !== null;
  }

  async remove(id: string): Promise<void> {
    await this.sessions.deleteOne({ _id: id });
  }

  async removeAllOf(userId: string): Promise<void> {
    await this.sessions.deleteMany({ user: userId });
  }

  async purgeExpired(now: Date): Promise<number> {
    return (await this.sessions.deleteMany({ expires_at: { $lte: now } })).deletedCount;
  }
}
