import { createHash } from 'node:crypto';
import { mongo, Schema } from 'mongoose';
import { campaignOfUrl } from '../../common/campaign';
import {
  type Destinations,
  type GeoRules,
  type NamedDestination,
  NO_DESTINATIONS,
  type Rule,
  type Variant,
} from '../../destinations/destinations';
import { numbered } from '../../destinations/numbering';
import { toStoredHosts } from './destination-hosts';
import type {
  Generation,
  Link,
  LinkBlock,
  LinkSettings,
  LinkSource,
  LinkStatus,
  NewLink,
  QrStyle,
  RememberedLink,
} from './link';
import { toLocation } from '../../destinations/location';
import { compactLink } from './remembered-link';

/** Name of the model that the indexes are made by. */
export const LINK_MODEL = 'Link';
export const LINKS = 'links';

/** Stored form of a link (docs/architecture.md, Collections). */
export interface LinkRecord {
  _id: mongo.ObjectId;
  alias: string;
  long_url: string;
  owner: mongo.ObjectId | null;
  generation: Generation;
  created_at: Date;
  updated_at: Date | null;
  status: LinkStatus;
  closed_by_limit: boolean;
  password_hash: string | null;
  max_clicks: number | null;
  slots_taken: number;
  /** No slot is given out before this moment: clicks that took none are still being recorded. */
  slots_from: Date | null;
  expire_after: Date | null;
  block_bots: boolean;
  /** Absent where they count. */
  count_bots?: false;
  private_stats: boolean;
  total_clicks: number;
  open_clicks: number;
  last_click: Date | null;
  /** Absent unless the link is blocked. */
  blocked?: LinkBlock;
  /** Absent while the owner has not chosen one. */
  qr?: QrStyle;
  /** SHA-256 of the token by which an account can take the link; gone with the first that does. */
  claim?: string;
  /** Absent without one. */
  starts_at?: Date;
  pre_start_url?: string;
  expired_redirect_url?: string;
  /** Absent unless true. */
  forward_query?: true;
  /** Absent without one. */
  rules?: readonly Rule[];
  geo_rules?: GeoRules;
  ab_variants?: readonly StoredVariant[];
  /** Numbers of keys that were given, absent while none was. */
  rule_seq?: number;
  variant_seq?: number;
  /** Rules and variants of before, the oldest first; absent while there was none. */
  variants_gone?: readonly NamedDestination[];
  /** Absent without one. */
  title?: string;
  note?: string;
  /** Ids of tags in ascending order; absent without one. */
  tags?: mongo.ObjectId[];
  /** By it an account finds its links to an address; links of before may lack it, until the backfill has come by. */
  destination_hash?: mongo.Binary;
  /**
   * Hosts of every address that it can lead to, as `toStoredHost` has them; links of before lack it,
   * until the backfill has come by.
   */
  destination_hosts?: readonly string[];
  /** Lists leave the link alone until it leads elsewhere; absent unless true. */
  list_exempt?: true;
  /** Absent but for imported links. */
  source?: { kind: string; key: string; import: mongo.ObjectId };
  /** Database time of the last write that a list of links may show; every writer sets it. */
  touched_at: Date;
}

/** A variant with its hundredths of the visitors, a byte each. */
type StoredVariant = Omit<Variant, 'shares'> & { readonly shares: mongo.Binary };

/**
 * Indexes of the collection; the repository reads and writes it past mongoose. Without the
 * decorators of Nest, because the recorder and the statistics thread load this file too.
 */
export const LinkSchema = new Schema<LinkRecord>(
  {},
  { collection: LINKS, versionKey: false, autoIndex: false, autoCreate: false },
);
LinkSchema.index({ alias: 1 }, { unique: true, name: 'alias' });
// Partial, so that anonymous links pay nothing: any ObjectId is above this one, null is not.
export const OWNED = { owner: { $gte: new mongo.ObjectId('0'.repeat(24)) } };
LinkSchema.index(
  { owner: 1, touched_at: 1, _id: 1 },
  { name: 'owner_touched', partialFilterExpression: OWNED },
);
// Nothing but the making of a link, and the taking of one of nobody's, writes to this one.
LinkSchema.index(
  { owner: 1, created_at: 1, _id: 1 },
  { name: 'owner_created', partialFilterExpression: OWNED },
);
LinkSchema.index(
  { owner: 1, destination_hash: 1 },
  { name: 'owner_destination', partialFilterExpression: OWNED },
);
// Not partial: links that lack their hosts stand together at its beginning, where the backfill looks.
LinkSchema.index({ destination_hosts: 1 }, { name: 'destination_hosts' });
// An entry for each tag of a link.
LinkSchema.index(
  { owner: 1, tags: 1 },
  { name: 'owner_tags', partialFilterExpression: { tags: { $exists: true } } },
);

// Blocked links are few.
LinkSchema.index(
  { 'blocked.at': 1, _id: 1 },
  { name: 'blocked', partialFilterExpression: { 'blocked.at': { $exists: true } } },
);

// One link for each that a source has, whatever is imported at the same time.
LinkSchema.index(
  { owner: 1, 'source.kind': 1, 'source.key': 1 },
  {
    unique: true,
    name: 'owner_source',
    partialFilterExpression: { 'source.key': { $exists: true } },
  },
);

/** Settings that are stored as they are, a field each. */
type PlainSettings = Omit<LinkSettings, 'destinations'>;

const STORED_SETTINGS = {
  longUrl: 'long_url',
  alias: 'alias',
  passwordHash: 'password_hash',
  maxClicks: 'max_clicks',
  expireAfter: 'expire_after',
  startsAt: 'starts_at',
  preStartUrl: 'pre_start_url',
  expiredRedirectUrl: 'expired_redirect_url',
  forwardQuery: 'forward_query',
  blockBots: 'block_bots',
  countBots: 'count_bots',
  privateStats: 'private_stats',
  title: 'title',
  note: 'note',
  tags: 'tags',
} as const satisfies Record<keyof PlainSettings, keyof LinkRecord>;

type StoredSettings = Pick<LinkRecord, (typeof STORED_SETTINGS)[keyof PlainSettings]>;

/** Fields that documents lack where they have no value. */
export const ABSENT_WHEN_NULL = [
  'count_bots',
  'starts_at',
  'pre_start_url',
  'expired_redirect_url',
  'forward_query',
  'title',
  'note',
  'tags',
] as const;

/** The stored names and values of those settings that are given; null of one that is to be absent. */
export function toStoredSettings(
  settings: Partial<PlainSettings>,
): Partial<Record<keyof StoredSettings, unknown>> {
  const stored = {
    ...settings,
    tags: toStoredTags(settings.tags),
    countBots: toStoredCount(settings),
    forwardQuery: settings.forwardQuery === false ? null : settings.forwardQuery,
  };
  const given = Object.entries(STORED_SETTINGS).map(([key, field]) => [
    field,
    stored[key as keyof PlainSettings],
  ]);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined)) as object;
}

/** Null, so that the field is absent, where previews and bots count. */
function toStoredCount({ countBots }: Partial<LinkSettings>): false | null | undefined {
  return countBots === true ? null : countBots;
}

function toStoredTags(ids: readonly string[] | undefined): mongo.ObjectId[] | null | undefined {
  if (ids === undefined) return undefined;
  return ids.length === 0 ? null : toTagIds(ids);
}

type StoredDestinations = Pick<
  LinkRecord,
  'ab_variants' | 'geo_rules' | 'rule_seq' | 'rules' | 'variant_seq' | 'variants_gone'
>;

/** The stored names and values of destinations; null of those that are to be absent. */
export function toStoredDestinations({
  rules,
  geoRules,
  abVariants,
  ruleSeq,
  variantSeq,
  goneDestinations,
}: Destinations): {
  readonly [Field in keyof StoredDestinations]-?: NonNullable<StoredDestinations[Field]> | null;
} {
  const nullIfEmpty = <T>(list: readonly T[]): readonly T[] | null =>
    list.length === 0 ? null : list;
  const variants = abVariants.map(({ shares, ...variant }) => ({
    ...variant,
    shares: new mongo.Binary(Uint8Array.from(shares)),
  }));
  return {
    rules: nullIfEmpty(rules),
    geo_rules: geoRules,
    ab_variants: nullIfEmpty(variants),
    rule_seq: ruleSeq || null,
    variant_seq: variantSeq || null,
    variants_gone: nullIfEmpty(goneDestinations),
  };
}

function toDestinations(record: StoredDestinations): Destinations {
  const { rules, geo_rules, ab_variants, rule_seq, variant_seq, variants_gone } = record;
  const isPlain = !rules && !geo_rules && !ab_variants && !variants_gone;
  if (isPlain && !rule_seq && !variant_seq) return NO_DESTINATIONS;
  return {
    rules: rules ?? [],
    geoRules: geo_rules ?? null,
    abVariants: (ab_variants ?? []).map(({ shares, ...variant }) => ({
      ...variant,
      shares: [...shares.value()],
    })),
    ruleSeq: rule_seq ?? 0,
    variantSeq: variant_seq ?? 0,
    goneDestinations: variants_gone ?? [],
  };
}

/** Ids of tags as links have them. */
export function toTagIds(ids: readonly string[]): mongo.ObjectId[] {
  return [...ids].sort().map((id) => new mongo.ObjectId(id));
}

/** 8 bytes, so that the index stays small: who finds a link by them compares the address too. */
export function destinationHash(longUrl: string): mongo.Binary {
  return new mongo.Binary(createHash('sha256').update(longUrl).digest().subarray(0, 8));
}

function toStoredSource({ kind, key, import: id }: LinkSource): LinkRecord['source'] {
  return { kind, key, import: new mongo.ObjectId(id) };
}

/** A link that nobody has visited yet, without the stamp that its write sets. */
export function toRecord(link: NewLink, now: Date): Omit<LinkRecord, 'touched_at'> {
  const absent = ABSENT_WHEN_NULL as readonly string[];
  const settings = Object.entries(toStoredSettings(link)).filter(
    ([field, value]) => value !== null || !absent.includes(field),
  );
  const destinations = Object.entries(
    toStoredDestinations(numbered(NO_DESTINATIONS, link.destinations)),
  ).filter(([, value]) => value !== null);
  return {
    _id: new mongo.ObjectId(link.id),
    ...(Object.fromEntries(settings) as unknown as StoredSettings),
    ...(Object.fromEntries(destinations) as StoredDestinations),
    owner: link.ownerId === null ? null : new mongo.ObjectId(link.ownerId),
    generation: link.generation,
    created_at: link.imported?.createdAt ?? now,
    updated_at: link.imported?.updatedAt ?? null,
    status: link.imported?.status ?? 'ACTIVE',
    closed_by_limit: link.imported?.closedByLimit ?? false,
    slots_taken: 0,
    slots_from: null,
    total_clicks: 0,
    open_clicks: 0,
    last_click: null,
    destination_hash: destinationHash(link.longUrl),
    destination_hosts: toStoredHosts(link),
    ...(link.claimHash === undefined ? {} : { claim: link.claimHash }),
    ...(link.imported === undefined ? {} : { source: toStoredSource(link.imported.source) }),
    ...(link.imported?.qrStyle ? { qr: link.imported.qrStyle } : {}),
  };
}

/** Fields that clicks change or that no visit needs, to be left out of a read. */
export const REMEMBERED_FIELDS = {
  slots_taken: 0,
  total_clicks: 0,
  open_clicks: 0,
  last_click: 0,
  touched_at: 0,
  destination_hash: 0,
  destination_hosts: 0,
  list_exempt: 0,
  title: 0,
  note: 0,
  tags: 0,
  source: 0,
} as const satisfies Partial<Record<keyof LinkRecord, 0>>;

type RememberedRecord = Omit<LinkRecord, keyof typeof REMEMBERED_FIELDS>;

export function toLink(record: Omit<LinkRecord, 'touched_at'>): Link {
  return {
    ...toRememberedLink(record),
    usedClicks: record.slots_taken + record.open_clicks,
    totalClicks: record.total_clicks,
    lastClick: record.last_click,
    isListExempt: record.list_exempt ?? false,
    title: record.title ?? null,
    note: record.note ?? null,
    tags: record.tags?.map((id) => id.toHexString()) ?? [],
  };
}

export function decodeRememberedLink(document: Uint8Array): RememberedLink {
  const record = mongo.BSON.deserialize(document);
  return compactLink(toRememberedLink(record as RememberedRecord));
}

function toRememberedLink(record: RememberedRecord): RememberedLink {
  const location = toLocation(record.long_url);
  return {
    id: record._id.toHexString(),
    alias: record.alias,
    longUrl: record.long_url,
    location,
    campaign: campaignOfUrl(location),
    ownerId: record.owner === null ? null : record.owner.toHexString(),
    generation: record.generation,
    createdAt: record.created_at,
    updatedAt: record.updated_at,
    status: record.status,
    closedByLimit: record.closed_by_limit,
    blocked: record.blocked ?? null,
    passwordHash: record.password_hash,
    maxClicks: record.max_clicks,
    quotaActiveFrom: record.slots_from,
    expireAfter: record.expire_after,
    startsAt: record.starts_at ?? null,
    preStartUrl: record.pre_start_url ?? null,
    expiredRedirectUrl: record.expired_redirect_url ?? null,
    forwardQuery: record.forward_query ?? false,
    destinations: toDestinations(record),
    blockBots: record.block_bots,
    countBots: record.count_bots ?? true,
    privateStats: record.private_stats,
    qrStyle: record.qr ?? null,
  };
}
