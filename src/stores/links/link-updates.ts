import { NO_DESTINATIONS } from '../../destinations/destinations';
import { numbered } from '../../destinations/numbering';
import { foldKey } from './alias-form';
import {
  addressesAfter,
  changesAddresses,
  type AddressSettings,
  toStoredHosts,
} from './destination-hosts';
import type { Link, LinkBlock, LinkChange, QrStyle } from './link';
import {
  ABSENT_WHEN_NULL,
  destinationHash,
  type LinkRecord,
  toStoredSettings,
  toTagIds,
} from './link.schema';
import { toStoredDestinations } from './stored-destinations.schema';

type Expression = string | object;
export type LinkPipeline = (
  { $set: Record<string, Expression> } | { $replaceWith: Expression } | { $unset: string }
)[];

type AddressesBefore = AddressSettings & Pick<Link, 'destinations'>;
const NOWHERE: AddressesBefore = {
  longUrl: '',
  preStartUrl: null,
  expiredRedirectUrl: null,
  destinations: NO_DESTINATIONS,
};
const ADDRESS_FIELDS = [
  'long_url',
  'pre_start_url',
  'expired_redirect_url',
  'rules',
  'geo_rules',
  'ab_variants',
] as const satisfies readonly (keyof LinkRecord)[];

/** How long a link with a new limit issues no slots, while earlier clicks are recorded. */
export const QUOTA_ACTIVATION_MS = 5000;

/** Prevents text that starts with `$`, such as a password hash, from being read as a field name. */
const literal = (value: unknown): Expression => ({ $literal: value });
const literals = (values: object): Record<string, Expression> =>
  Object.fromEntries(Object.entries(values).map(([field, value]) => [field, literal(value)]));

const USED: Expression = { $add: ['$slots_taken', '$open_clicks'] };
/** Matches links that are ACTIVE, or INACTIVE because of their limit. */
const NOT_SWITCHED_OFF: Expression = { $or: [{ $eq: ['$status', 'ACTIVE'] }, '$closed_by_limit'] };
/** Strictly increasing, although `$$NOW` is the time at which the statement began. */
const NEXT_STAMP: Expression = { $max: ['$$NOW', { $add: ['$touched_at', 1] }] };

/**
 * Every update must use this function: it sets the timestamp that lists use to find changed links.
 * `shown` is true if lists show the change.
 */
export function stampedUpdate(fields: Record<string, Expression>, shown: Expression | true = true) {
  const touched_at = shown === true ? NEXT_STAMP : { $cond: [shown, NEXT_STAMP, '$touched_at'] };
  return { $set: { ...fields, touched_at } };
}

/** An upsert, because an insert cannot use the database time; does not change an existing link. */
export function insertion(values: Omit<LinkRecord, '_id' | 'touched_at'>): LinkPipeline {
  const isNew = { $eq: [{ $type: '$alias' }, 'missing'] };
  const created = { _id: '$_id', ...stampedUpdate(literals(values)).$set };
  return [{ $replaceWith: { $cond: [isNew, created, '$$ROOT'] } }];
}

/** Tags to remove and then to add, by id; other tags are kept. */
export interface TagMoves {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

export function tagsAfter({ add, remove }: TagMoves): Expression {
  const kept = { $setDifference: [{ $ifNull: ['$tags', []] }, literal(toTagIds(remove))] };
  return { $sortArray: { input: { $setUnion: [kept, literal(toTagIds(add))] }, sortBy: 1 } };
}

export interface SharedChange {
  readonly change: LinkChange;
  readonly moves: TagMoves | null;
  readonly touch: boolean;
  readonly now: Date;
}

/** Excludes links that would expire before they start. */
export function inOrder({ expireAfter, startsAt }: LinkChange): object {
  if (expireAfter && startsAt === undefined)
    return { $nor: [{ starts_at: { $gte: expireAfter } }] };
  if (startsAt && expireAfter === undefined)
    return { $nor: [{ expire_after: { $lte: startsAt } }] };
  return {};
}

/**
 * Atomic, based on the current slots, status and limit. Changes `updated_at` only if a value
 * changes, or always with `touch`. `before` is required if destinations change.
 */
export function changing(
  change: LinkChange,
  now: Date,
  touch: boolean,
  moves: TagMoves | null = null,
  before: AddressesBefore = NOWHERE,
): LinkPipeline {
  const settings = toStoredSettings(change);
  const values = literals(settings);
  for (const [field, value] of Object.entries(settings)) {
    if (value === null && ABSENT_WHEN_NULL.includes(field)) values[field] = '$$REMOVE';
  }
  const destinations = numbered(before.destinations, change.destinations ?? {});
  if (change.destinations !== undefined) {
    for (const [field, value] of Object.entries(toStoredDestinations(destinations))) {
      values[field] = value === null ? '$$REMOVE' : literal(value);
    }
  }
  const tags = moves === null ? null : tagsAfter(moves);
  if (tags !== null) values.tags = { $cond: [{ $eq: [tags, []] }, '$$REMOVE', tags] };
  const differs = Object.entries(values).map(([field, value]) => ({ $ne: [`$${field}`, value] }));
  const state = stateFields(change);
  const statusMoves = { $ne: ['$status', state.status] };
  const updated_at = touch
    ? literal(now)
    : { $cond: [{ $or: [...differs, statusMoves] }, literal(now), '$updated_at'] };
  const { longUrl } = change;
  const fields: Record<string, Expression> = { ...values, ...state, updated_at };
  if (longUrl !== undefined) fields.destination_hash = literal(destinationHash(longUrl));
  if (changesAddresses(change)) {
    const hosts = toStoredHosts(addressesAfter(before, change, destinations));
    fields.destination_hosts = literal(hosts);
    fields.list_exempt = exemptAfter(values);
  }
  return [stampedUpdate(fields)];
}

/** Follows `changing`. @param claims whether case is ignored (docs/contract.md#34.4) */
export function folding(before: string, { alias }: LinkChange, claims: boolean): LinkPipeline {
  if (alias === undefined || alias === before) return [];
  const folded = literal(foldKey(alias));
  return [{ $set: { folded_alias: folded, folded_claim: claims ? folded : '$$REMOVE' } }];
}

/** The exemption from blocklists ends when a destination changes. */
function exemptAfter(values: Record<string, Expression>): Expression {
  const moves = ADDRESS_FIELDS.filter((field) => field in values).map((field) => ({
    $ne: [`$${field}`, values[field]],
  }));
  return { $cond: [{ $or: moves }, '$$REMOVE', '$list_exempt'] };
}

/** Sets or removes the QR style, which lists do not show. */
export function restyling(style: QrStyle | null): LinkPipeline {
  return style === null
    ? [{ $unset: 'qr' }]
    : [stampedUpdate({ qr: literal(style) }, literal(false))];
}

/** If the link is already blocked, the block time is kept. */
export function blocking({ reason, by }: Omit<LinkBlock, 'at'>): LinkPipeline {
  const at = { $ifNull: ['$blocked.at', '$$NOW'] };
  return [stampedUpdate({ blocked: { reason: literal(reason), by: literal(by), at } })];
}

/** If an admin unblocks a link that a blocklist has blocked, blocklists no longer check it. */
export function unblocking(by: LinkBlock['by']): LinkPipeline {
  const isByList = { $eq: ['$blocked.by', 'list'] };
  const list_exempt = { $cond: [isByList, true, '$list_exempt'] };
  return [stampedUpdate(by === 'admin' ? { list_exempt } : {}), { $unset: 'blocked' }];
}

export function claiming(owner: LinkRecord['owner']): LinkPipeline {
  return [stampedUpdate({ owner: literal(owner) }), { $unset: 'claim' }];
}

/** Does not count as a change by the owner. */
export function untagging(tagId: LinkRecord['_id']): LinkPipeline {
  const others = { $filter: { input: '$tags', cond: { $ne: ['$$this', tagId] } } };
  const tags = { $cond: [{ $eq: [others, []] }, '$$REMOVE', others] };
  return [stampedUpdate({ tags })];
}

/** Lets the link issue slots, or deactivates it if its clicks have reached the limit. */
export function quotaActivation(keepStatus: boolean): LinkPipeline {
  const limited = { $ne: ['$max_clicks', null] };
  const active = { $eq: ['$status', 'ACTIVE'] };
  const closes = keepStatus
    ? literal(false)
    : { $and: [limited, active, { $gte: [USED, '$max_clicks'] }] };
  return [stampedUpdate({ slots_from: literal(null), ...closedWhere(closes) })];
}

/** Takes a slot. The last slot deactivates the link; lists show only this change. */
export const SLOT_TAKING: {
  readonly condition: (now: Date) => object;
  readonly update: LinkPipeline;
} = {
  condition: (now) => ({
    status: 'ACTIVE',
    max_clicks: { $ne: null },
    $or: [{ expire_after: null }, { expire_after: { $gt: now } }],
    $nor: [{ starts_at: { $gt: now } }],
    $expr: { $and: [{ $lt: [USED, '$max_clicks'] }, { $lte: ['$slots_from', '$$NOW'] }] },
  }),
  update: (() => {
    const last = { $gte: [{ $add: [USED, 1] }, '$max_clicks'] };
    const slots_taken = { $add: ['$slots_taken', 1] };
    return [stampedUpdate({ slots_taken, ...closedWhere(last) }, last)];
  })(),
};

/** Deactivates ACTIVE links that have no slots left (docs/contract.md#7). */
export const CLOSING: { readonly condition: object; readonly update: LinkPipeline } = {
  condition: {
    status: 'ACTIVE',
    max_clicks: { $ne: null },
    $expr: { $gte: [USED, '$max_clicks'] },
  },
  update: [stampedUpdate(closedWhere(literal(true)))],
};

/** Matches active links that have used at least 90% of their limit. */
export const NEAR_LIMIT = {
  status: 'ACTIVE' as const,
  max_clicks: { $ne: null },
  $expr: { $gte: [{ $multiply: [USED, 10] }, { $multiply: ['$max_clicks', 9] }] },
};

export type LinkTotals = Pick<LinkRecord, 'last_click' | 'open_clicks' | 'total_clicks'>;

/** Totals, and the deletion of clicks that they take into account, if any. */
export type StoredTotals = LinkTotals &
  Pick<LinkRecord, '_id'> & { readonly clicks_deleted_at: Date | null };

/**
 * Only raises values, so that the update may be repeated. Skips totals that still include clicks
 * that have been deleted since.
 */
export function raising(totals: Expression): LinkPipeline {
  // A missing time sorts before null, and null before every time.
  const isCurrent = { $gte: ['$raised.clicks_deleted_at', '$clicks_deleted_at'] };
  const higher = (field: keyof LinkTotals): Expression => ({
    $cond: [isCurrent, { $max: [`$${field}`, `$raised.${field}`] }, `$${field}`],
  });
  return [
    { $set: { raised: totals } },
    stampedUpdate({
      total_clicks: higher('total_clicks'),
      open_clicks: higher('open_clicks'),
      last_click: higher('last_click'),
      raised: '$$REMOVE',
    }),
  ];
}

export function repairing(totals: LinkTotals): LinkPipeline {
  return [stampedUpdate(literals(totals))];
}

function closedWhere(closes: Expression): Record<'closed_by_limit' | 'status', Expression> {
  return {
    status: { $cond: [closes, 'INACTIVE', '$status'] },
    closed_by_limit: { $cond: [closes, true, '$closed_by_limit'] },
  };
}

/** Computes status, deactivation cause, and slot start (docs/contract.md#6.3 and 7). */
function stateFields(
  change: LinkChange,
): Record<'closed_by_limit' | 'slots_from' | 'status', Expression> {
  const { maxClicks: limit, status } = change;
  const limits = limit === undefined ? null : limitMoves(limit);
  if (status !== undefined) {
    const slots_from = limits?.slots_from ?? '$slots_from';
    return { status: literal(status), closed_by_limit: literal(false), slots_from };
  }
  return (
    limits ?? { status: '$status', closed_by_limit: '$closed_by_limit', slots_from: '$slots_from' }
  );
}

function limitMoves(limit: number | null): ReturnType<typeof stateFields> {
  const moves = { $ne: ['$max_clicks', literal(limit)] };
  const reached = limit === null ? literal(false) : { $gte: [USED, limit] };
  const closes = { $and: [moves, reached, NOT_SWITCHED_OFF] };
  // True if the limit deactivated the link and was then raised or removed.
  const opens = { $and: [moves, '$closed_by_limit'] };
  const choose = (closed: unknown, open: unknown, otherwise: string): Expression => ({
    $cond: [closes, closed, { $cond: [opens, open, otherwise] }],
  });
  const first = { $eq: ['$max_clicks', null] };
  const activation = { $cond: [first, { $add: ['$$NOW', QUOTA_ACTIVATION_MS] }, '$slots_from'] };
  return {
    status: choose('INACTIVE', 'ACTIVE', '$status'),
    closed_by_limit: choose(true, false, '$closed_by_limit'),
    slots_from: limit === null ? literal(null) : activation,
  };
}
