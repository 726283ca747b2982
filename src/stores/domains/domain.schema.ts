import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { SchemaTypes, Types } from 'mongoose';
import type { AppLinks, DnsFindings, Domain, DomainStatus, KnownDomain } from './domain';

@Schema({ collection: 'domains', versionKey: false, autoIndex: false, autoCreate: false })
export class DomainRecord {
  _id!: Types.ObjectId;

  /** The domain's own id if the account was deleted, because `owner_fqdn` needs distinct owners. */
  @Prop({ required: true, type: SchemaTypes.ObjectId }) owner!: Types.ObjectId;
  @Prop({ required: true, type: String }) fqdn!: string;
  @Prop({ required: true, type: String }) status!: DomainStatus;

  /** True while the domain is active or suspended; otherwise absent. */
  @Prop({ type: Boolean }) held?: true;
  @Prop({ required: true, type: String }) token!: string;
  @Prop({ type: Boolean }) is_default?: true;

  /** A number from 0 to 99, unique per installation; absent unless the domain is shared. */
  @Prop({ type: Number }) shared_place?: number;
  @Prop({ type: Boolean }) was_shared?: true;
  @Prop({ type: String, default: null }) root_redirect!: string | null;
  @Prop({ type: String, default: null }) not_found_redirect!: string | null;
  @Prop({ type: String, default: null }) robots!: string | null;

  /** Stored as JSON text, because its keys may be invalid as field names. */
  @Prop({ type: SchemaTypes.Mixed, default: null }) app_links!: AppLinks | null;
  @Prop({ required: true, type: Date }) created_at!: Date;
  @Prop({ required: true, type: Date }) updated_at!: Date;
  @Prop({ type: Date, default: null }) last_verified_at!: Date | null;
  @Prop({ type: Date, default: null }) failing_since!: Date | null;
  @Prop({ type: String, default: null }) error!: string | null;
  @Prop({ type: SchemaTypes.Mixed }) dns?: DnsFindings | null;

  /** Next check time; for a pending domain, the end of its verification; null if revoked by its owner. */
  @Prop({ type: Date, default: null }) check_at!: Date | null;

  /** A number from 0 to 19, unique per owner; null if the domain is revoked. */
  @Prop({ type: Number, default: null }) place!: number | null;
  @Prop({ required: true, type: Number }) revision!: number;
}

export const DomainSchema = SchemaFactory.createForClass(DomainRecord);
DomainSchema.index({ owner: 1, fqdn: 1 }, { unique: true, name: 'owner_fqdn' });
// Ensures that a name has a single holder if several accounts verify it concurrently.
DomainSchema.index(
  { fqdn: 1, held: 1 },
  { unique: true, name: 'held', partialFilterExpression: { held: true } },
);
// Enforces the limit for concurrent inserts, because each domain has a different place.
DomainSchema.index(
  { owner: 1, place: 1 },
  { unique: true, name: 'place', partialFilterExpression: { place: { $type: 'number' } } },
);
DomainSchema.index(
  { owner: 1, is_default: 1 },
  { unique: true, name: 'default', partialFilterExpression: { is_default: true } },
);
DomainSchema.index(
  { shared_place: 1 },
  { unique: true, name: 'shared', partialFilterExpression: { shared_place: { $type: 'number' } } },
);
DomainSchema.index(
  { check_at: 1 },
  { name: 'check', partialFilterExpression: { check_at: { $type: 'date' } } },
);

/** Stored names of settings. */
export const DOMAIN_FIELDS = {
  rootRedirect: 'root_redirect',
  notFoundRedirect: 'not_found_redirect',
  robots: 'robots',
  appLinks: 'app_links',
} as const;

export const NO_SETTINGS = {
  root_redirect: null,
  not_found_redirect: null,
  robots: null,
  app_links: null,
} as const;

export const KNOWN_FIELDS = {
  owner: 1,
  fqdn: 1,
  status: 1,
  is_default: 1,
  shared_place: 1,
  was_shared: 1,
  root_redirect: 1,
  not_found_redirect: 1,
  robots: 1,
  app_links: 1,
  revision: 1,
} as const satisfies Partial<Record<keyof DomainRecord, 1>>;

export function toKnownDomain(
  record: Pick<DomainRecord, '_id' | keyof typeof KNOWN_FIELDS>,
): KnownDomain {
  return {
    id: record._id.toHexString(),
    ownerId: record.owner.toHexString(),
    fqdn: record.fqdn,
    status: record.status,
    isDefault: record.is_default ?? false,
    isShared: record.shared_place !== undefined,
    wasShared: record.was_shared ?? false,
    rootRedirect: record.root_redirect,
    notFoundRedirect: record.not_found_redirect,
    robots: record.robots,
    appLinks: record.app_links,
    revision: record.revision,
  };
}

export function toDomain(record: DomainRecord): Domain {
  return {
    ...toKnownDomain(record),
    token: record.token,
    createdAt: record.created_at,
    updatedAt: record.updated_at,
    lastVerifiedAt: record.last_verified_at,
    failingSince: record.failing_since,
    error: record.error,
    dns: record.dns ?? null,
  };
}
