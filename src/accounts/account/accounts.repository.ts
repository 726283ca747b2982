import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types, type UpdateQuery } from 'mongoose';
import { findIds, findPage } from '../../infrastructure/mongo/find';
import { isDuplicateKey } from '../../common/database-fault';
import {
  type Account,
  type AccountCriteria,
  type AccountFigures,
  type AccountPage,
  type ClosingAccount,
  type DeletionOrder,
  type LinkedIdentity,
  type Picture,
  type Role,
  type Suspension,
  toAccountFilter,
} from './account';
import { AccountRecord, toAccount, toIdentityRecord } from './account.schema';
import { EmailTakenError } from './accounts.errors';
import { WITHOUT_INDEXES } from '../../infrastructure/mongo/write-barrier';

export interface NewAccount {
  readonly email: string;
  readonly emailVerified: boolean;
  readonly userName: string | null;
  readonly passwordHash: string | null;
  readonly identities?: readonly LinkedIdentity[];
  readonly picture?: Picture | null;
  readonly role?: Role;
}

/** The unique index accepts only one of several concurrent registrations with the same email. */
@Injectable()
export class AccountsRepository {
  constructor(@InjectModel(AccountRecord.name) private readonly accounts: Model<AccountRecord>) {}

  /** Waits until the write is durable. @throws EmailTakenError if email or identity is taken */
  async insert(account: NewAccount, now: Date): Promise<Account> {
    const record: AccountRecord = {
      _id: new Types.ObjectId(),
      email: account.email,
      addresses: [account.email],
      email_verified: account.emailVerified,
      user_name: account.userName,
      password_hash: account.passwordHash,
      identities: (account.identities ?? []).map(toIdentityRecord),
      picture: account.picture ?? null,
      session_epoch: 0,
      created_at: now,
      ...(account.role && { role: account.role }),
    };
    await this.releaseHeld(account.email, now);
    try {
      await this.accounts.create([record]);
    } catch (error) {
      if (isDuplicateKey(error)) throw new EmailTakenError();
      throw error;
    }
    return toAccount(record);
  }

  async findByEmail(email: string): Promise<Account | null> {
    const record = await this.accounts.findOne({ email }).lean<AccountRecord>();
    return record === null ? null : toAccount(record);
  }

  /** Whether another account has or holds the address. */
  async isTaken(email: string, exceptId: string, now: Date): Promise<boolean> {
    await this.releaseHeld(email, now);
    const others = { _id: { $ne: exceptId }, $or: [{ email }, { addresses: email }] };
    return (await this.accounts.exists(others)) !== null;
  }

  /** Frees the address if an account held it until an earlier time. */
  private async releaseHeld(email: string, now: Date): Promise<void> {
    const isHeld = { earlier: { $elemMatch: { email, held_until: { $gt: now } } } };
    await this.accounts.updateMany(
      { addresses: email, email: { $ne: email }, $nor: [isHeld] },
      { $pull: { addresses: email } },
    );
  }

  async findById(id: string): Promise<Account | null> {
    const record = await this.accounts.findById(id).lean<AccountRecord>();
    return record === null ? null : toAccount(record);
  }

  async findEmails(ids: readonly string[]): Promise<Map<string, string>> {
    const records = await this.accounts
      .find({ _id: { $in: [...ids] } }, { email: 1 })
      .lean<Pick<AccountRecord, '_id' | 'email'>[]>();
    return new Map(records.map(({ _id, email }) => [_id.toHexString(), email]));
  }

  /** Returns false if the account has a password or was changed concurrently. */
  async setFirstPassword(account: Account, passwordHash: string): Promise<boolean> {
    const { modifiedCount } = await this.accounts.updateOne(
      { _id: account.id, password_hash: null, session_epoch: account.sessionEpoch },
      { $set: { password_hash: passwordHash } },
    );
    return modifiedCount === 1;
  }

  // Unlinks the providers of an unverified account, because they may belong to another person.
  /** Ends all sessions. Returns false if the address has changed since the code was sent. */
  async replacePassword(account: Account, passwordHash: string): Promise<boolean> {
    const forgotten = account.emailVerified ? {} : { identities: [], picture: null };
    const { matchedCount } = await this.accounts.updateOne(
      { _id: account.id, email: account.email },
      { $set: { password_hash: passwordHash, ...forgotten }, $inc: { session_epoch: 1 } },
    );
    return matchedCount === 1;
  }

  /** Starts a new session epoch. Returns null if the account was changed concurrently. */
  async changePassword(account: Account, passwordHash: string): Promise<Account | null> {
    const asRead = {
      _id: account.id,
      password_hash: account.passwordHash,
      session_epoch: account.sessionEpoch,
    };
    return this.change(asRead, {
      $set: { password_hash: passwordHash },
      $inc: { session_epoch: 1 },
    });
  }

  /** Returns null if the account is deleted or in another session epoch. */
  async rename(account: Account, userName: string | null): Promise<Account | null> {
    const same = { _id: account.id, session_epoch: account.sessionEpoch };
    return this.change(same, { $set: { user_name: userName } });
  }

  /** Returns null if the account is deleted or already verified. */
  async markVerified(id: string): Promise<Account | null> {
    const unverified = { _id: id, email_verified: false };
    return this.change(unverified, { $set: { email_verified: true } });
  }

  /** Returns null if the account is deleted or already has the role. */
  async setRole(id: string, role: Role): Promise<Account | null> {
    return this.change(
      { _id: id, role: role === 'admin' ? { $ne: role } : 'admin' },
      {
        $set: { role },
      },
    );
  }

  /** Reads all accounts. `since` is the start of `recent`; `maxMs` is the query timeout. */
  async figures(since: Date, maxMs: number): Promise<AccountFigures> {
    const countIf = (condition: object) => ({ $sum: { $cond: [condition, 1, 0] } });
    const [figures] = await this.accounts
      .aggregate<AccountFigures>([
        {
          $group: {
            _id: null,
            total: { $sum: 1 },
            verified: countIf({ $eq: ['$email_verified', true] }),
            suspended: countIf({ $gt: ['$suspended', null] }),
            admins: countIf({ $eq: ['$role', 'admin'] }),
            deleting: countIf({
              $and: [{ $gt: ['$deletes_at', null] }, { $lte: ['$deletes_at', '$$NOW'] }],
            }),
            recent: countIf({ $gte: ['$created_at', since] }),
          },
        },
      ])
      .option({ maxTimeMS: maxMs });
    return figures ?? { total: 0, verified: 0, suspended: 0, admins: 0, deleting: 0, recent: 0 };
  }

  async adminEmails(): Promise<string[]> {
    const admin = {
      role: 'admin',
      email_verified: true,
      suspended: null,
      deletes_at: null,
    } as const;
    const records = await this.accounts
      .find(admin, { email: 1 })
      .lean<Pick<AccountRecord, 'email'>[]>();
    return records.map(({ email }) => email);
  }

  /** Starts a new session epoch. Returns null if the account is deleted. */
  async suspend(id: string, { at, by, reason }: Suspension): Promise<Account | null> {
    const suspended = { at, by: by === null ? null : new Types.ObjectId(by), reason };
    return this.change({ _id: id }, { $set: { suspended }, $inc: { session_epoch: 1 } });
  }

  /** Returns null if the account is deleted or not suspended. */
  async endSuspension(id: string): Promise<Account | null> {
    const suspended = { _id: id, 'suspended.at': { $exists: true } };
    return this.change(suspended, { $set: { suspended: null } });
  }

  async noteSignIn(id: string, at: Date): Promise<void> {
    await this.accounts.updateOne({ _id: id }, { $set: { last_sign_in_at: at } }, WITHOUT_INDEXES);
  }

  /** Returns a page and the total. Throws (`isOverTime`) after `maxTimeMS`. */
  async search(
    criteria: AccountCriteria,
    { page, pageSize, by, descending }: AccountPage,
    maxTimeMS: number,
  ): Promise<{ accounts: Account[]; total: number }> {
    const filter = toAccountFilter(criteria);
    const direction = descending ? -1 : 1;
    const sort = { [by]: direction, _id: direction } as const;
    const options = { sort, page, pageSize, maxTimeMS };
    const { records, total } = await findPage<AccountRecord>(this.accounts, filter, options);
    return { accounts: records.map(toAccount), total };
  }

  searchIds(criteria: AccountCriteria, maxTimeMS: number): Promise<string[]> {
    return findIds<AccountRecord>(this.accounts, toAccountFilter(criteria), { maxTimeMS });
  }

  /** Returns accounts in the given order. Omits unknown accounts. */
  async findInOrder(ids: readonly string[]): Promise<Account[]> {
    const records = await this.accounts.find({ _id: { $in: [...ids] } }).lean<AccountRecord[]>();
    const known = new Map(records.map((record) => [record._id.toHexString(), toAccount(record)]));
    return ids.flatMap((id) => known.get(id) ?? []);
  }

  /** Returns accounts that are suspended, leaving or being deleted. */
  async findClosing(): Promise<ClosingAccount[]> {
    const isClosing = [
      { 'suspended.at': { $exists: true } },
      { deletes_at: { $type: 'date' as const } },
    ];
    const records = await this.accounts
      .find({ $or: isClosing }, { suspended: 1, deletes_at: 1, closes_links: 1 })
      .lean<Pick<AccountRecord, '_id' | 'suspended' | 'deletes_at' | 'closes_links'>[]>();
    return records.map(({ _id, suspended, deletes_at: at, closes_links: closesLinks }) => ({
      id: _id.toHexString(),
      isSuspended: suspended != null,
      deletesAt: at ?? null,
      closesLinks: closesLinks ?? false,
    }));
  }

  /** Returns ids of accounts whose deletion was due at that time, after the given id. */
  findDue(by: Date, after: string | null, limit: number): Promise<string[]> {
    const due = { deletes_at: { $lte: by }, ...(after !== null && { _id: { $gt: after } }) };
    return findIds<AccountRecord>(this.accounts, due, { sort: { _id: 1 }, limit });
  }

  async noteDeletion(id: string, at: Date, deletion: DeletionOrder): Promise<Account | null> {
    const set = { deletes_at: at, deletion };
    return this.change({ _id: id }, { $set: set, $inc: { session_epoch: 1 } });
  }

  /** Keeps the sessions, in which the owner can restore the account. */
  async leave(id: string, deletesAt: Date, closesLinks: boolean): Promise<Account | null> {
    return this.change({ _id: id }, { $set: { deletes_at: deletesAt, closes_links: closesLinks } });
  }

  /** Returns null unless the account is leaving at that time. */
  async restore(id: string, now: Date): Promise<Account | null> {
    const leaving = { _id: id, deletes_at: { $gt: now } };
    return this.change(leaving, { $set: { deletes_at: null, closes_links: false } });
  }

  async remove(id: string, now: Date): Promise<void> {
    await this.accounts.deleteOne({ _id: id, deletes_at: { $lte: now } });
  }

  async hasAdminBeside(id: string): Promise<boolean> {
    const another = await this.accounts.exists({
      _id: { $ne: id },
      role: 'admin',
      email_verified: true,
      suspended: null,
      deletes_at: null,
    });
    return another !== null;
  }

  async hasAdmin(): Promise<boolean> {
    return (await this.accounts.exists({ role: 'admin' })) !== null;
  }

  async isEmpty(): Promise<boolean> {
    return (await this.accounts.exists({})) === null;
  }

  private async change(
    condition: { readonly _id: string; readonly [field: string]: unknown },
    update: UpdateQuery<AccountRecord>,
  ): Promise<Account | null> {
    const record = await this.accounts
      .findOneAndUpdate(condition, update, { returnDocument: 'after' })
      .lean<AccountRecord>();
    return record === null ? null : toAccount(record);
  }
}
