import { Injectable } from '@nestjs/common';
import { InjectModel, Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { isDuplicateKey } from '../../common/database-fault';
import { AccountRecord } from '../account.schema';

/** How far the emails of this database have been brought into the form of this release. */
@Schema({ collection: 'settings', versionKey: false, autoIndex: false, autoCreate: false })
export class EmailFormSetting {
  @Prop({ required: true, type: String })
  _id!: string;

  /** Number of the form that all emails have been checked against; 0 = none yet. */
  @Prop({ required: true, type: Number })
  form!: number;

  /** One process checks at a time; until then it is believed to be at work. */
  @Prop({ required: true, type: Date })
  claimed_until!: Date;
}

export const EmailFormSettingSchema = SchemaFactory.createForClass(EmailFormSetting);

/** An account whose email may have another form. */
export interface StoredEmail {
  readonly id: string;
  readonly email: string;
}

const NAME = 'account_email_form';
/** Plain ASCII was stored lower-cased from the start; only these can differ from their form. */
const MAY_DIFFER = { email: { $regex: '[^\\x00-\\x7f]|[@.]xn--' } };

/** Stored emails of earlier releases, and the mark that says that they have been seen to. */
@Injectable()
export class EmailFormsRepository {
  constructor(
    @InjectModel(AccountRecord.name) private readonly accounts: Model<AccountRecord>,
    @InjectModel(EmailFormSetting.name) private readonly settings: Model<EmailFormSetting>,
  ) {}

  /** True when the check is this process' to do: it is not done, and nobody else is at it. */
  async claim(form: number, now: Date, until: Date): Promise<boolean> {
    try {
      const { matchedCount, upsertedCount } = await this.settings.updateOne(
        { _id: NAME, form: { $lt: form }, claimed_until: { $lte: now } },
        { $set: { claimed_until: until }, $setOnInsert: { form: 0 } },
        { upsert: true },
      );
      return matchedCount + upsertedCount === 1;
    } catch (error) {
      // The mark is there and is not as the filter wants it.
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  async finish(form: number): Promise<void> {
    await this.settings.updateOne({ _id: NAME }, { $set: { form } });
  }

  /** Another process may try as soon as it likes. */
  async release(now: Date): Promise<void> {
    await this.settings.updateOne({ _id: NAME }, { $set: { claimed_until: now } });
  }

  /** The next accounts after an id whose emails may differ from their form, in the order of ids. */
  async next(after: string | null, limit: number): Promise<StoredEmail[]> {
    const from = after === null ? {} : { _id: { $gt: new Types.ObjectId(after) } };
    const records = await this.accounts
      .find({ ...from, ...MAY_DIFFER }, { email: 1 })
      .sort({ _id: 1 })
      .limit(limit)
      .lean<Pick<AccountRecord, '_id' | 'email'>[]>();
    return records.map(({ _id, email }) => ({ id: _id.toHexString(), email }));
  }

  async ownerOf(email: string): Promise<string | null> {
    const record = await this.accounts
      .findOne({ email }, { _id: 1 })
      .lean<Pick<AccountRecord, '_id'>>();
    return record?._id.toHexString() ?? null;
  }

  /** Gives the account's email its form; false when another account has that email. */
  async change({ id, email }: StoredEmail, form: string): Promise<boolean> {
    try {
      await this.accounts.updateOne({ _id: id, email }, { $set: { email: form } });
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }
}
