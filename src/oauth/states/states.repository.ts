import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import type { AttemptPurpose, LinkTarget } from './state';
import { StateRecord } from './state.schema';

export interface StateKey {
  readonly provider: string;
  readonly state: string;
  readonly browser: string;
}

/** Stores attempts in the database, so that any worker on any machine can finish one. */
@Injectable()
export class StatesRepository {
  constructor(@InjectModel(StateRecord.name) private readonly states: Model<StateRecord>) {}

  async insert(key: StateKey, purpose: AttemptPurpose, expiresAt: Date): Promise<void> {
    const { link, next } = purpose;
    await this.states.create([
      {
        ...storedKey(key),
        next,
        link:
          link === null
            ? null
            : {
                user: new Types.ObjectId(link.userId),
                epoch: link.sessionEpoch,
                session: link.sessionId,
              },
        expires_at: expiresAt,
      },
    ]);
  }

  /** Claims the attempt. Only one caller gets it; all others get null. */
  async takeAttempt(key: StateKey, now: Date): Promise<AttemptPurpose | null> {
    const record = await this.states
      .findOneAndDelete({ ...storedKey(key), expires_at: { $gt: now } })
      .lean<StateRecord>();
    if (record === null) return null;
    const { link, next } = record;
    return {
      next,
      link: link === null ? null : toTarget(link),
    };
  }

  async removeByAccount(userId: string): Promise<void> {
    await this.states.deleteMany({ 'link.user': userId });
  }
}

function toTarget({ user, epoch, session }: NonNullable<StateRecord['link']>): LinkTarget {
  return { userId: user.toHexString(), sessionEpoch: epoch, sessionId: session };
}

function storedKey(key: StateKey): Pick<StateRecord, '_id' | 'provider' | 'browser'> {
  return { _id: digest(key.state), provider: key.provider, browser: digest(key.browser) };
}

function digest(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
