import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, type UpdateQuery } from 'mongoose';
import { isDuplicateKey } from '../../common/database-fault';
import type { Account, LinkedIdentity, Picture } from '../account/account';
import { AccountRecord, toAccount, toIdentityRecord } from '../account/account.schema';
import { AccountChangedError, IdentityTakenError } from '../account/accounts.errors';

export interface VerificationState {
  readonly emailVerified: boolean;
  readonly picture: Picture | null;
}

/** Each change is one conditional write. @throws AccountChangedError, IdentityTakenError */
@Injectable()
export class IdentitiesRepository {
  constructor(@InjectModel(AccountRecord.name) private readonly accounts: Model<AccountRecord>) {}

  async findOwner(provider: string, subject: string): Promise<Account | null> {
    const record = await this.accounts
      .findOne({
        // Required for MongoDB to use the partial index.
        'identities.subject': subject,
        identities: { $elemMatch: { provider, subject } },
      })
      .lean<AccountRecord>();
    return record === null ? null : toAccount(record);
  }

  add(account: Account, identity: LinkedIdentity, standing: VerificationState): Promise<Account> {
    return this.change(
      account,
      { 'identities.provider': { $ne: identity.provider } },
      { $push: { identities: toIdentityRecord(identity) }, $set: toFields(standing) },
    );
  }

  replace(
    account: Account,
    earlier: LinkedIdentity,
    identity: LinkedIdentity,
    standing: VerificationState,
  ): Promise<Account> {
    const { provider, subject } = earlier;
    return this.change(
      account,
      { identities: { $elemMatch: { provider, subject } } },
      { $set: { 'identities.$': toIdentityRecord(identity), ...toFields(standing) } },
    );
  }

  /** For accounts with an unverified email: makes the identity the only way to sign in. */
  takeOver(
    account: Account,
    identity: LinkedIdentity,
    standing: VerificationState,
  ): Promise<Account> {
    return this.change(
      account,
      {},
      {
        $set: {
          identities: [toIdentityRecord(identity)],
          user_name: identity.name,
          password_hash: null,
          ...toFields(standing),
        },
        $inc: { session_epoch: 1 },
      },
    );
  }

  /** Changes nothing unless a password or another provider remains. */
  async remove(
    account: Account,
    provider: string,
    { others, password }: { readonly others: readonly string[]; readonly password: boolean },
    picture: Picture | null,
  ): Promise<boolean> {
    const { modifiedCount } = await this.accounts.updateOne(
      {
        _id: account.id,
        'identities.provider': provider,
        $or: [
          ...(password ? [{ password_hash: { $ne: null } }] : []),
          { 'identities.provider': { $in: [...others] } },
        ],
      },
      { $pull: { identities: { provider } }, $set: { picture } },
    );
    return modifiedCount === 1;
  }

  private async change(
    account: Account,
    condition: object,
    update: UpdateQuery<AccountRecord>,
  ): Promise<Account> {
    const unchanged = {
      _id: account.id,
      email_verified: account.emailVerified,
      session_epoch: account.sessionEpoch,
    };
    try {
      const record = await this.accounts
        .findOneAndUpdate({ ...unchanged, ...condition }, update, { returnDocument: 'after' })
        .lean<AccountRecord>();
      if (record !== null) return toAccount(record);
    } catch (error) {
      throw isDuplicateKey(error) ? new IdentityTakenError() : error;
    }
    throw new AccountChangedError();
  }
}

function toFields(standing: VerificationState): Pick<AccountRecord, 'email_verified' | 'picture'> {
  const { emailVerified, picture } = standing;
  return { email_verified: emailVerified, picture: picture === null ? null : { ...picture } };
}
