import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, type UpdateQuery } from 'mongoose';
import { isDuplicateKey } from '../../common/database-fault';
import type { Account, LinkedIdentity, Picture } from '../account';
import { AccountRecord, toAccount, toIdentityRecord } from '../account.schema';
import { AccountChangedError, IdentityTakenError } from '../accounts.errors';

/** Fields of an account that follow from its identities. */
export interface VerificationState {
  readonly emailVerified: boolean;
  readonly picture: Picture | null;
}

/**
 * The linked providers of accounts, at most one identity a provider. Each change is one write on
 * the condition that the account is still as it was read: AccountChangedError when it is not,
 * IdentityTakenError when another account has the identity.
 */
@Injectable()
export class IdentitiesRepository {
  constructor(@InjectModel(AccountRecord.name) private readonly accounts: Model<AccountRecord>) {}

  async findOwner(provider: string, subject: string): Promise<Account | null> {
    const record = await this.accounts
      .findOne({
        // The index is partial: it serves only who says that there is a subject.
        'identities.subject': subject,
        identities: { $elemMatch: { provider, subject } },
      })
      .lean<AccountRecord>();
    return record === null ? null : toAccount(record);
  }

  /** Links a provider that the account has no identity of. */
  add(account: Account, identity: LinkedIdentity, standing: VerificationState): Promise<Account> {
    return this.change(
      account,
      { 'identities.provider': { $ne: identity.provider } },
      { $push: { identities: toIdentityRecord(identity) }, $set: toFields(standing) },
    );
  }

  /** Puts the identity in the place of the account's earlier one of this provider. */
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

  /** Leaves the identity as the only way into an account whose creator never proved its email. */
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

  /** Unlinks the provider if a password or one of the other providers is left as a way in. */
  async remove(
    account: Account,
    provider: string,
    others: readonly string[],
    picture: Picture | null,
  ): Promise<boolean> {
    const { modifiedCount } = await this.accounts.updateOne(
      {
        _id: account.id,
        'identities.provider': provider,
        $or: [{ password_hash: { $ne: null } }, { 'identities.provider': { $in: [...others] } }],
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
