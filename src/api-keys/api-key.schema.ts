import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, Types } from 'mongoose';
import type { Scope } from '../auth/access';
import type { ApiKey } from './api-key';

@Schema({ collection: 'api_keys', versionKey: false, autoIndex: false, autoCreate: false })
export class ApiKeyRecord {
  _id!: Types.ObjectId;

  @Prop({ required: true, type: SchemaTypes.ObjectId }) owner!: Types.ObjectId;
  @Prop({ required: true, type: String }) name!: string;
  @Prop({ type: String, default: null }) description!: string | null;
  @Prop({ required: true, type: [String] }) scopes!: Scope[];

  /** SHA-256 of the whole key. */
  @Prop({ required: true, type: String }) digest!: string;
  @Prop({ required: true, type: String }) prefix!: string;
  @Prop({ required: true, type: Date }) created_at!: Date;
  @Prop({ type: Date, default: null }) expires_at!: Date | null;
  @Prop({ type: Date, default: null }) last_used_at!: Date | null;

  /** The key's slot among the owner's active keys, 0 to 19; null if revoked. */
  @Prop({ type: Number, default: null }) place!: number | null;
}

export const ApiKeySchema = SchemaFactory.createForClass(ApiKeyRecord);
ApiKeySchema.index({ digest: 1 }, { unique: true, name: 'digest' });
ApiKeySchema.index({ owner: 1, _id: 1 }, { name: 'owner' });
// Enforces the key limit under concurrent requests, because each active key has a unique slot.
ApiKeySchema.index(
  { owner: 1, place: 1 },
  { unique: true, name: 'place', partialFilterExpression: { place: { $type: 'number' } } },
);

export function toApiKey(record: ApiKeyRecord): ApiKey {
  return {
    id: record._id.toHexString(),
    ownerId: record.owner.toHexString(),
    name: record.name,
    description: record.description,
    scopes: record.scopes,
    prefix: record.prefix,
    createdAt: record.created_at,
    expiresAt: record.expires_at,
    revoked: record.place === null,
    lastUsedAt: record.last_used_at,
  };
}
