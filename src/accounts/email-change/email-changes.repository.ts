import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, type UpdateQuery } from 'mongoose';
import type { Account } from '../account/account';
import {
  AccountRecord,
  toAccount,
  toEarlierRecord,
  toIdentityRecord,
} from '../account/account.schema';
import { AccountChangedError, EmailTakenError } from '../account/accounts.errors';
import { isDuplicateKey } from '../../common/database-fault';
import type { Addresses } from './addresses.rules';

/** Each change is one conditional write, which the unique indexes on addresses check. */
@Injectable()
export class EmailChangesRepository {
  constructor(@InjectModel(AccountRecord.name) private readonly accounts: Model<AccountRecord>) {}

  /** Ends all sessions. @throws EmailTakenError, AccountChangedError */
  change(account: Account, addresses: Addresses): Promise<Account> {
    return this.write(account, { ...toFields(addresses), email_verified: true });
  }

  /**
   * Ends all sessions, removes providers linked since the change, and keeps a leaving account.
   * @throws EmailTakenError, AccountChangedError
   */
  undo(
    account: Account,
    { changedAt, ...addresses }: Addresses & { readonly changedAt: Date },
    passwordHash: string | null,
  ): Promise<Account> {
    const identities = account.identities.filter(({ linkedAt }) => linkedAt <= changedAt);
    return this.write(account, {
      ...toFields(addresses),
      password_hash: passwordHash,
      identities: identities.map(toIdentityRecord),
      deletes_at: null,
      closes_links: false,
    });
  }

  async findByUndo(undo: string): Promise<Account | null> {
    const record = await this.accounts.findOne({ 'earlier.undo': undo }).lean<AccountRecord>();
    return record === null ? null : toAccount(record);
  }

  private async write(account: Account, fields: object): Promise<Account> {
    const same = { _id: account.id, email: account.email, session_epoch: account.sessionEpoch };
    const update: UpdateQuery<AccountRecord> = { $set: fields, $inc: { session_epoch: 1 } };
    try {
      const record = await this.accounts
        .findOneAndUpdate(same, update, { returnDocument: 'after' })
        .lean<AccountRecord>();
      if (record !== null) return toAccount(record);
    } catch (error) {
      throw isDuplicateKey(error) ? new EmailTakenError() : error;
    }
    throw new AccountChangedError();
  }
}

function toFields({ email, earlier, taken }: Addresses): object {
  return { email, earlier: earlier.map(toEarlierRecord), addresses: [...taken] };
}
