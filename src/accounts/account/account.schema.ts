import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, Types } from 'mongoose';
import {
  type Account,
  type DeletionOrder,
  type EarlierAddress,
  type LinkedIdentity,
  type Role,
  ROLES,
  type Suspension,
} from './account';

@Schema({ _id: false })
export class IdentityRecord {
  @Prop({ required: true, type: String }) provider!: string;
  @Prop({ required: true, type: String }) subject!: string;
  @Prop({ required: true, type: String }) email!: string;
  @Prop({ required: true, type: Boolean }) email_verified!: boolean;
  @Prop({ required: true, type: Date }) linked_at!: Date;
  @Prop({ type: String, default: null }) name!: string | null;
  @Prop({ type: String, default: null }) picture!: string | null;
}

const IdentitySchema = SchemaFactory.createForClass(IdentityRecord);

@Schema({ _id: false })
export class SuspensionRecord {
  @Prop({ required: true, type: Date }) at!: Date;
  @Prop({ type: Types.ObjectId, default: null }) by!: Types.ObjectId | null;
  @Prop({ required: true, type: String }) reason!: string;
}

const SuspensionSchema = SchemaFactory.createForClass(SuspensionRecord);

@Schema({ _id: false })
export class EarlierAddressRecord {
  @Prop({ required: true, type: String }) email!: string;
  @Prop({ required: true, type: Date }) changed_at!: Date;
  @Prop({ required: true, type: Date }) held_until!: Date;
  @Prop({ type: String, default: null }) undo!: string | null;
}

const EarlierAddressSchema = SchemaFactory.createForClass(EarlierAddressRecord);

@Schema({ collection: 'accounts', versionKey: false, autoIndex: false, autoCreate: false })
export class AccountRecord {
  _id!: Types.ObjectId;

  @Prop({ required: true, type: String }) email!: string;
  @Prop({ required: true, type: Boolean, default: false }) email_verified!: boolean;
  @Prop({ type: String, default: null }) user_name!: string | null;
  @Prop({ type: String, default: null }) password_hash!: string | null;
  @Prop({ type: [IdentitySchema], default: [] }) identities!: IdentityRecord[];

  @Prop({ type: { url: String, source: String, _id: false }, default: null })
  picture!: { url: string; source: string } | null;

  @Prop({ required: true, type: Number, default: 0 }) session_epoch!: number;
  @Prop({ required: true, type: Date }) created_at!: Date;

  // Missing on accounts from earlier releases.
  @Prop({ type: String, enum: ROLES, default: 'user' }) role?: Role;
  @Prop({ type: SuspensionSchema, default: null }) suspended?: SuspensionRecord | null;
  @Prop({ type: Date, default: null }) deletes_at?: Date | null;
  @Prop({ type: SchemaTypes.Mixed }) deletion?: DeletionOrder;
  @Prop({ type: Boolean, default: false }) closes_links?: boolean;
  @Prop({ type: [EarlierAddressSchema], default: undefined }) earlier?: EarlierAddressRecord[];

  /** The account's email and held addresses. Missing on accounts from earlier releases. */
  @Prop({ type: [String], default: undefined }) addresses?: string[];

  @Prop({ type: Date, default: null }) last_sign_in_at?: Date | null;
}

export const AccountSchema = SchemaFactory.createForClass(AccountRecord);
AccountSchema.index({ email: 1 }, { unique: true, name: 'email' });
// Every write that sets an address also stores it here, so held addresses remain unique.
AccountSchema.index({ addresses: 1 }, { unique: true, sparse: true, name: 'addresses' });
AccountSchema.index({ 'earlier.undo': 1 }, { sparse: true, name: 'undo' });
AccountSchema.index(
  { 'identities.provider': 1, 'identities.subject': 1 },
  {
    unique: true,
    name: 'identity',
    partialFilterExpression: { 'identities.subject': { $exists: true } },
  },
);
AccountSchema.index({ role: 1 }, { name: 'admins', partialFilterExpression: { role: 'admin' } });

AccountSchema.index(
  { deletes_at: 1 },
  { name: 'deleting', partialFilterExpression: { deletes_at: { $type: 'date' } } },
);
AccountSchema.index(
  { 'suspended.at': 1 },
  { name: 'suspended', partialFilterExpression: { 'suspended.at': { $exists: true } } },
);

export function toAccount(record: AccountRecord): Account {
  return {
    id: record._id.toHexString(),
    email: record.email,
    emailVerified: record.email_verified,
    earlier: (record.earlier ?? []).map(toEarlierAddress),
    userName: record.user_name,
    passwordHash: record.password_hash,
    identities: record.identities.map(toIdentity),
    picture: record.picture,
    sessionEpoch: record.session_epoch,
    createdAt: record.created_at,
    role: record.role ?? 'user',
    suspended: record.suspended ? toSuspension(record.suspended) : null,
    deletesAt: record.deletes_at ?? null,
    deletion: record.deletion ?? null,
    closesLinks: record.closes_links ?? false,
    lastSignInAt: record.last_sign_in_at ?? null,
  };
}

function toSuspension({ at, by, reason }: SuspensionRecord): Suspension {
  return { at, by: by?.toHexString() ?? null, reason };
}

function toEarlierAddress(record: EarlierAddressRecord): EarlierAddress {
  const { email, changed_at: changedAt, held_until: heldUntil, undo } = record;
  return { email, changedAt, heldUntil, undo };
}

export function toEarlierRecord(address: EarlierAddress): EarlierAddressRecord {
  const { email, changedAt, heldUntil, undo } = address;
  return { email, changed_at: changedAt, held_until: heldUntil, undo };
}

function toIdentity(record: IdentityRecord): LinkedIdentity {
  return {
    provider: record.provider,
    subject: record.subject,
    email: record.email,
    emailVerified: record.email_verified,
    linkedAt: record.linked_at,
    name: record.name,
    picture: record.picture,
  };
}

export function toIdentityRecord(identity: LinkedIdentity): IdentityRecord {
  return {
    provider: identity.provider,
    subject: identity.subject,
    email: identity.email,
    email_verified: identity.emailVerified,
    linked_at: identity.linkedAt,
    name: identity.name,
    picture: identity.picture,
  };
}
