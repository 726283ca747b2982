import { createHash } from 'node:crypto';
import { mongo, Schema } from 'mongoose';
import { campaignOfUrl } from '../../common/campaign';
import { NO_DESTINATIONS } from '../../destinations/destinations';
import { numbered } from '../../destinations/numbering';
import { foldKey } from './alias-form';
import { toStoredHosts } from './destination-hosts';
import type {
  Generation,
  Link,
  LinkBlock,
  LinkSettings,
  LinkStatus,
  NewLink,
  QrStyle,
  RememberedLink,
} from './link';
import { toLocation } from '../../destinations/location';
import {
  FIELD_ROWS,
  type LINK_FIELDS,
  mapFields,
  PRIVATE_ROWS,
  type PrivateField,
  type StoredFields,
} from './link-fields';
import { compactLink } from './remembered-link';
import {
  type StoredDestinations,
  toStoredDestinations,
  toDestinations,
} from './stored-destinations.schema';

export const LINK_MODEL = 'Link';
export const LINKS = 'links';

export interface LinkRecord extends StoredDestinations, StoredFields {
  _id: mongo.ObjectId;
  alias: string;
  /** `foldKey` of the alias. Missing on older links until the backfill job has run. */
  folded_alias?: string;
  /** The folded alias, on at most one link; set while CASE_INSENSITIVE_ALIASES is on. */
  folded_claim?: string;
  long_url: string;
  owner: mongo.ObjectId | null;
  generation: Generation;
  created_at: Date;
  updated_at: Date | null;
  status: LinkStatus;
  closed_by_limit: boolean;
  password_hash: string | null;
  slots_taken: number;
  /** Before this time, no slots are issued, because earlier clicks are still being recorded. */
  slots_from: Date | null;
  total_clicks: number;
  open_clicks: number;
  last_click: Date | null;
  /** Clicks from visits that began at or before this time are dropped (docs/contract.md#37.2). */
  clicks_deleted_at?: Date | null;
  /** True until the job has removed the dropped clicks. */
  clicks_clearing?: true;
  blocked?: LinkBlock;
  qr?: QrStyle;
  /** The claim token's SHA-256; removed once the link is claimed. */
  claim?: string;
  /** Tag ids in ascending order. */
  tags?: mongo.ObjectId[];
  /** Finds links by destination. Missing on older links until the backfill job has run. */
  destination_hash?: mongo.Binary;
  /** All destinations' hosts. Missing on older links until the backfill job has run. */
  destination_hosts?: readonly string[];
  /** True if the link is exempt from blocklists until its destination changes. */
  list_exempt?: true;
  source?: { kind: string; key: string; import: mongo.ObjectId };
  /** Database time of the last write that changes what lists show; every update sets it. */
  touched_at: Date;
}

/**
 * Only defines indexes, because the repository does not use mongoose. Has no Nest decorators,
 * because the recorder and the statistics thread also load this file.
 */
export const LinkSchema = new Schema<LinkRecord>(
  {},
  { collection: LINKS, versionKey: false, autoIndex: false, autoCreate: false },
);
LinkSchema.index({ alias: 1 }, { unique: true, name: 'alias' });
// Not a sparse index: the backfill finds links without the field at the start of the index.
LinkSchema.index({ folded_alias: 1 }, { name: 'folded_alias' });
LinkSchema.index({ folded_claim: 1 }, { unique: true, sparse: true, name: 'folded_claim' });
// A partial index without anonymous links: their owner is null, which is not above this id.
export const OWNED = { owner: { $gte: new mongo.ObjectId('0'.repeat(24)) } };
LinkSchema.index(
  { owner: 1, touched_at: 1, _id: 1 },
  { name: 'owner_touched', partialFilterExpression: OWNED },
);
// These fields are written only when a link is created or claimed.
LinkSchema.index(
  { owner: 1, created_at: 1, _id: 1 },
  { name: 'owner_created', partialFilterExpression: OWNED },
);
// Ids are not in this order: imported links have their own ids.
LinkSchema.index({ created_at: 1, _id: 1 }, { name: 'created' });
LinkSchema.index(
  { owner: 1, destination_hash: 1 },
  { name: 'owner_destination', partialFilterExpression: OWNED },
);
// Not a partial index: the backfill finds links without hosts at the start of the index.
LinkSchema.index({ destination_hosts: 1 }, { name: 'destination_hosts' });
LinkSchema.index(
  { owner: 1, tags: 1 },
  { name: 'owner_tags', partialFilterExpression: { tags: { $exists: true } } },
);

LinkSchema.index(
  { 'blocked.at': 1, _id: 1 },
  { name: 'blocked', partialFilterExpression: { 'blocked.at': { $exists: true } } },
);
LinkSchema.index(
  { owner: 1, 'blocked.at': 1, _id: 1 },
  { name: 'owner_blocked', partialFilterExpression: { 'blocked.at': { $exists: true } } },
);

// Prevents duplicates if imports run concurrently.
LinkSchema.index(
  { owner: 1, 'source.kind': 1, 'source.key': 1 },
  {
    unique: true,
    name: 'owner_source',
    partialFilterExpression: { 'source.key': { $exists: true } },
  },
);

LinkSchema.index(
  { clicks_deleted_at: 1 },
  { name: 'clicks_clearing', partialFilterExpression: { clicks_clearing: { $exists: true } } },
);

// Counts the links of an import without reading them.
LinkSchema.index(
  { 'source.import': 1, 'blocked.at': 1, last_click: 1 },
  { name: 'source_import', partialFilterExpression: { 'source.import': { $exists: true } } },
);

type PlainSettings = Omit<LinkSettings, 'destinations'>;

type StoredSettings = StoredFields &
  Pick<LinkRecord, 'alias' | 'long_url' | 'password_hash' | 'tags'>;

export const ABSENT_WHEN_NULL: readonly string[] = [
  ...FIELD_ROWS.filter(({ isBasic }) => !isBasic).map(({ name }) => name),
  'tags',
];

/** Returns only the given settings; null marks a field to be removed. */
export function toStoredSettings(
  settings: Partial<PlainSettings>,
): Partial<Record<keyof StoredSettings, unknown>> {
  const stored = {
    long_url: settings.longUrl,
    alias: settings.alias,
    password_hash: settings.passwordHash,
    tags: toStoredTags(settings.tags),
    ...mapFields(({ key, name, initial, isBasic }) => [
      name,
      settings[key] === initial && !isBasic ? null : settings[key],
    ]),
  };
  return Object.fromEntries(
    Object.entries<unknown>(stored).filter(([, value]) => value !== undefined),
  );
}

function toStoredTags(ids: readonly string[] | undefined): mongo.ObjectId[] | null | undefined {
  if (ids === undefined) return undefined;
  return ids.length === 0 ? null : toTagIds(ids);
}

/** Returns tag ids in ascending order. */
export function toTagIds(ids: readonly string[]): mongo.ObjectId[] {
  return [...ids].sort().map((id) => new mongo.ObjectId(id));
}

/** Only 8 bytes, to keep the index small, so readers must also compare the destination. */
export function destinationHash(longUrl: string): mongo.Binary {
  return new mongo.Binary(createHash('sha256').update(longUrl).digest().subarray(0, 8));
}

/** Returns a new link without its timestamp, which the write adds. */
export function toRecord(link: NewLink, now: Date, claims = false): Omit<LinkRecord, 'touched_at'> {
  const settings = Object.entries(toStoredSettings(link)).filter(
    ([field, value]) => value !== null || !ABSENT_WHEN_NULL.includes(field),
  );
  const destinations = Object.entries(
    toStoredDestinations(numbered(NO_DESTINATIONS, link.destinations)),
  ).filter(([, value]) => value !== null);
  const source = link.imported?.source;
  return {
    _id: new mongo.ObjectId(link.id),
    ...(Object.fromEntries(settings) as unknown as StoredSettings),
    ...(Object.fromEntries(destinations) as StoredDestinations),
    folded_alias: foldKey(link.alias),
    ...(claims && { folded_claim: foldKey(link.alias) }),
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
    ...(source && { source: { ...source, import: new mongo.ObjectId(source.import) } }),
    ...(link.imported?.qrStyle ? { qr: link.imported.qrStyle } : {}),
  };
}

/** Projection without fields that clicks change and fields that redirects do not need. */
export const REMEMBERED_FIELDS = {
  folded_alias: 0,
  folded_claim: 0,
  slots_taken: 0,
  total_clicks: 0,
  open_clicks: 0,
  last_click: 0,
  clicks_deleted_at: 0,
  clicks_clearing: 0,
  touched_at: 0,
  destination_hash: 0,
  destination_hosts: 0,
  list_exempt: 0,
  tags: 0,
  source: 0,
  ...(mapFields(({ name }) => [name, 0], PRIVATE_ROWS) as Record<
    (typeof LINK_FIELDS)[PrivateField]['name'],
    0
  >),
} as const satisfies Partial<Record<keyof LinkRecord, 0>>;

type RememberedRecord = Omit<LinkRecord, keyof typeof REMEMBERED_FIELDS>;

export function toLink(record: Omit<LinkRecord, 'touched_at'>): Link {
  return {
    ...toRememberedLink(record),
    usedClicks: record.slots_taken + record.open_clicks,
    totalClicks: record.total_clicks,
    lastClick: record.last_click,
    clicksDeletedAt: record.clicks_deleted_at ?? null,
    isListExempt: record.list_exempt ?? false,
    tags: record.tags?.map((id) => id.toHexString()) ?? [],
    ...(mapFields(({ key, name, initial }) => [key, record[name] ?? initial], PRIVATE_ROWS) as Pick<
      Link,
      PrivateField
    >),
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
