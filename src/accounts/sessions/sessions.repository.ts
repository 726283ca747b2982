import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import type { Account } from '../account/account';
import type { ListedSession, Session, SessionBrowser, SignInMethod } from './session';
import { SessionRecord, toListedSession } from './session.schema';

export interface LiveToken {
  readonly live: string;
  readonly expiresAt: Date;
  readonly seen: SessionBrowser;
}

export interface Rotation extends LiveToken {
  readonly spent: string;
  readonly now: Date;
}

/** Maximum number of sessions to list, most recently used first. */
const MAX_LISTED = 100;

/** Each change is one atomic write. */
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
    token: LiveToken,
  ): Promise<void> {
    await this.sessions.create([
      {
        _id: new Types.ObjectId(id),
        user: new Types.ObjectId(account.id),
        epoch: account.sessionEpoch,
        methods: [...methods],
        ...storedToken(token),
      },
    ]);
  }

  /** Returns null if the token is not the valid one or the session has ended. */
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
        { $set: storedToken(rotation) },
      )
      .lean<SessionRecord>();
    return record === null ? null : { id, userId: account.id, methods: record.methods };
  }

  /** Moves the session to the new epoch with a new token. Returns null if it has ended. */
  async carryOver(id: string, account: Account, token: LiveToken): Promise<Session | null> {
    const record = await this.sessions
      .findOneAndUpdate(
        { _id: id, user: account.id },
        { $set: { epoch: account.sessionEpoch, ...storedToken(token) } },
      )
      .lean<SessionRecord>();
    return record === null ? null : { id, userId: account.id, methods: record.methods };
  }

  /** @param live digest of the token; if omitted, any token for the session is accepted */
  async isLive(id: string, account: Account, now: Date, live?: string): Promise<boolean> {
    const known = {
      _id: id,
      ...liveSessionFilter(account, now),
      ...(live === undefined ? {} : { live }),
    };
    return (await this.sessions.exists(known)) !== null;
  }

  async findLiveSessions(account: Account, now: Date): Promise<ListedSession[]> {
    const records = await this.sessions
      .find(liveSessionFilter(account, now))
      .sort({ expires_at: -1, _id: -1 })
      .limit(MAX_LISTED)
      .lean<SessionRecord[]>();
    return records.map(toListedSession);
  }

  /** Returns false if the account has no such session. */
  async removeOwn(id: string, account: Account, now: Date): Promise<boolean> {
    const own = { _id: id, ...liveSessionFilter(account, now) };
    return (await this.sessions.deleteOne(own)).deletedCount === 1;
  }

  async removeOthers(id: string, userId: string): Promise<void> {
    await this.sessions.deleteMany({ user: userId, _id: { $ne: id } });
  }

  async remove(id: string): Promise<void> {
    await this.sessions.deleteOne({ _id: id });
  }

  async countByUser(userIds: readonly string[], now: Date): Promise<Map<string, number>> {
    const users = userIds.map((id) => new Types.ObjectId(id));
    const counts = await this.sessions.aggregate<{ _id: Types.ObjectId; count: number }>([
      { $match: { user: { $in: users }, expires_at: { $gt: now } } },
      { $group: { _id: '$user', count: { $sum: 1 } } },
    ]);
    return new Map(counts.map(({ _id, count }) => [_id.toHexString(), count]));
  }

  async removeByAccount(userId: string): Promise<number> {
    return (await this.sessions.deleteMany({ user: userId })).deletedCount;
  }
}

function liveSessionFilter(account: Account, now: Date) {
  return { user: account.id, epoch: account.sessionEpoch, expires_at: { $gt: now } };
}

function storedToken({ live, expiresAt, seen: { browser, os, country } }: LiveToken) {
  return { live, expires_at: expiresAt, browser, os, country };
}
