import { Injectable } from '@nestjs/common';
import { InjectModel, Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Model } from 'mongoose';
import { DAY_MS, MINUTE_MS } from '../../common/time';

/** All failures within this time share a document, so an outage creates six per hour. */
const SPAN_MS = 10 * MINUTE_MS;
const FAILURES_KEPT_MS = 30 * DAY_MS;

@Schema({ collection: 'mail_failures', versionKey: false, autoIndex: false, autoCreate: false })
export class MailFailureRecord {
  @Prop({ required: true, type: Date }) _id!: Date;
  @Prop({ required: true, type: Number }) count!: number;
  @Prop({ required: true, type: Date }) last_at!: Date;
  @Prop({ required: true, type: Date }) expires_at!: Date;
}

export const MailFailureSchema = SchemaFactory.createForClass(MailFailureRecord);
MailFailureSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0, name: 'expiry' });

export interface MailFailures {
  readonly lastDay: number;
  /** Last failure time in the last 30 days. */
  readonly lastAt: Date | null;
}

/** Only this class reads and writes the `mail_failures` collection. */
@Injectable()
export class MailFailuresRepository {
  constructor(
    @InjectModel(MailFailureRecord.name) private readonly failures: Model<MailFailureRecord>,
  ) {}

  async note(at: Date): Promise<void> {
    const begin = new Date(Math.floor(at.getTime() / SPAN_MS) * SPAN_MS);
    await this.failures.updateOne(
      { _id: begin },
      {
        $inc: { count: 1 },
        $max: { last_at: at },
        $setOnInsert: { expires_at: new Date(begin.getTime() + FAILURES_KEPT_MS) },
      },
      { upsert: true },
    );
  }

  /** Times are accurate to ten minutes. */
  async read(now: Date): Promise<MailFailures> {
    const spans = await this.failures
      .find({ expires_at: { $gt: now } })
      .sort({ _id: -1 })
      .limit(DAY_MS / SPAN_MS)
      .lean<MailFailureRecord[]>();
    const since = now.getTime() - DAY_MS;
    const recent = spans.filter(({ _id }) => _id.getTime() > since);
    return {
      lastDay: recent.reduce((sum, { count }) => sum + count, 0),
      lastAt: spans[0]?.last_at ?? null,
    };
  }
}
