import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { mongo, Schema as MongooseSchema } from 'mongoose';

/** A small account file. `_id` consists of owner and purpose. */
@Schema({ collection: 'account_files', versionKey: false, autoIndex: false, autoCreate: false })
export class AccountFileRecord {
  @Prop({ required: true, type: MongooseSchema.Types.Mixed })
  _id!: { account: mongo.ObjectId; name: string };

  @Prop({ required: true, type: String }) type!: string;
  @Prop({ required: true, type: Buffer }) data!: mongo.Binary;
  @Prop({ required: true, type: String }) etag!: string;
}

export const AccountFileSchema = SchemaFactory.createForClass(AccountFileRecord);
