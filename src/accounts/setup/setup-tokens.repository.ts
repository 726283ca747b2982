import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { isDuplicateKey } from '../../common/database-fault';

interface SetupToken {
  readonly digest: string;
  readonly expires_at: Date;
}

interface SetupRecord extends Partial<SetupToken> {
  readonly _id: 'setup';
  /** Whether the installation's first start found no account. */
  readonly fresh: boolean;
}

const SETUP = { _id: 'setup' } as const;

/** The newest set-up token's digest, in the collection `settings`. */
@Injectable()
export class SetupTokensRepository {
  constructor(@InjectConnection() private readonly connection: Connection) {}

  /** Null before the installation's first start. */
  async isFresh(): Promise<boolean | null> {
    return (await this.settings.findOne(SETUP))?.fresh ?? null;
  }

  /** Has no effect after the first start. */
  async markFirstStart(fresh: boolean): Promise<void> {
    try {
      await this.settings.updateOne(SETUP, { $setOnInsert: { fresh } }, { upsert: true });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
  }

  async put({ digest, expires_at }: SetupToken): Promise<void> {
    await this.settings.updateOne(SETUP, { $set: { digest, expires_at } });
  }

  async has(digest: string, now: Date): Promise<boolean> {
    return (await this.settings.findOne(valid(digest, now))) !== null;
  }

  /** For concurrent calls, returns null to all but one. */
  async takeToken(digest: string, now: Date): Promise<SetupToken | null> {
    const drop = { $unset: { digest: '', expires_at: '' } } as const;
    const taken = await this.settings.findOneAndUpdate(valid(digest, now), drop);
    return taken?.expires_at === undefined ? null : { digest, expires_at: taken.expires_at };
  }

  /** Has no effect if there is a newer token. */
  async restore({ digest, expires_at }: SetupToken): Promise<void> {
    const without = { ...SETUP, digest: { $exists: false } };
    await this.settings.updateOne(without, { $set: { digest, expires_at } });
  }

  async clear(): Promise<void> {
    await this.settings.updateOne(SETUP, { $unset: { digest: '', expires_at: '' } });
  }

  private get settings() {
    return this.connection.collection<SetupRecord>('settings');
  }
}

function valid(digest: string, now: Date) {
  return { ...SETUP, digest, expires_at: { $gt: now } };
}
