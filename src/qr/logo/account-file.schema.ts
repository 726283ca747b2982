import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { mongo, Schema as MongooseSchema } from 'mongoose';

/** A small file of an account; `_id` says whose it is and what for. */
@Schema({ collection: 'account_files', versionKey: false, autoIndex: false, autoCreate: false })
export class AccountFileRecord {
  @Prop({ required: true, type: MongooseSchema.Types.Mixed })
  _id!: { account: mongo.ObjectId; name: string };

  /** Media type. */
  @Prop({ required: true, type: String })
  type!: string;

  @Prop({ required: true, type: Buffer })
  data!: mongo.Binary;

  /** The entity tag of the data. */
  @Prop({ required: true, type: String })
  etag!: string;
}

export const AccountFileSchema = SchemaFactory.createForClass(AccountFileRecord);
