import type { LinkStatus } from '../../stores/links/link';
import type { LinkRecord } from '../../stores/links/link.schema';
import { PRESENCE_FILTERS, type PresenceFilter } from './link-list';
import type { LinkFields } from '../../stores/links/link-collection.repository';
import {
  type BinaryId,
  BsonFields,
  Utf8Text,
  type BsonValue,
} from '../../infrastructure/mongo/bson-fields';

export const NEVER = -Infinity;
export const NO_EXPIRY = Infinity;

/** Texts from the database are decoded only if they are not ASCII, which takes most of the time. */
export type ListedText = string | Utf8Text;

/** The fields by which lists sort, filter and search. Times are in milliseconds. */
class ListedLinkDraft {
  id: string | BinaryId = '';
  alias: ListedText = Utf8Text.EMPTY;
  longUrl: ListedText = Utf8Text.EMPTY;
  createdAt = NEVER;
  /** NEVER if the link has no clicks. */
  lastClick = NEVER;
  totalClicks = 0;
  /** The stored status, not the reported one. */
  status: LinkStatus = 'ACTIVE';
  closedByLimit = false;
  blocked = false;
  expireAfter = NO_EXPIRY;
  startsAt = NEVER;
  /** A bit for each of PRESENCE_BITS that the link has. */
  present = 0;
  title: ListedText = Utf8Text.EMPTY;
  note: ListedText = Utf8Text.EMPTY;
  tags: readonly string[] = [];
  /** The import's kind and id; empty for other links. */
  source = '';
  /** Database time of the last write included in this version of the link. */
  touchedAt = NEVER;
}

export type ListedLink = Readonly<ListedLinkDraft>;

const sourceFields = new BsonFields<{ kind: string; importId: string }>({
  kind: (source, value) => (source.kind = value.text()),
  import: (source, value) => (source.importId = value.sharedHex()),
});

/** Neither part may contain a slash. */
export function sourceName(kind: string, importId: string): string {
  return `${kind}/${importId}`;
}

type TakeListed = (link: ListedLinkDraft, value: BsonValue) => void;

const FIRST_BIT = 32;

/** Flag bits in a row that follow those in row-block.ts. */
export const PRESENCE_BITS = Object.fromEntries(
  PRESENCE_FILTERS.map(({ filter }, i) => [filter, FIRST_BIT << i]),
) as Readonly<Record<PresenceFilter, number>>;

const PRESENCE_READERS: Readonly<Record<string, TakeListed>> = Object.fromEntries(
  PRESENCE_FILTERS.map(({ filter, name }) => [
    name,
    (link: ListedLinkDraft) => (link.present |= PRESENCE_BITS[filter]),
  ]),
);

const READERS = {
  _id: (link, value) => (link.id = value.binaryId()),
  alias: (link, value) => (link.alias = value.undecodedText()),
  long_url: (link, value) => (link.longUrl = value.undecodedText()),
  created_at: (link, value) => (link.createdAt = value.number()),
  last_click: (link, value) => (link.lastClick = value.number()),
  total_clicks: (link, value) => (link.totalClicks = value.number()),
  status: (link, value) => (link.status = value.text() as LinkStatus),
  closed_by_limit: (link, value) => (link.closedByLimit = value.boolean()),
  blocked: (link) => (link.blocked = true),
  expire_after: (link, value) => (link.expireAfter = value.number()),
  starts_at: (link, value) => (link.startsAt = value.number()),
  title: (link, value) => (link.title = value.undecodedText()),
  note: (link, value) => (link.note = value.undecodedText()),
  tags: (link, value) => (link.tags = value.elements((tag) => tag.sharedHex())),
  source: (link, value) => {
    const { kind, importId } = sourceFields.read(value.document(), { kind: '', importId: '' });
    link.source = sourceName(kind, importId);
  },
  touched_at: (link, value) => (link.touchedAt = value.number()),
  ...PRESENCE_READERS,
} as const satisfies Partial<Record<keyof LinkRecord, TakeListed>>;

export const LISTED_FIELDS: LinkFields = Object.fromEntries(
  Object.keys(READERS).map((field) => [field, 1]),
);

const fields = new BsonFields<ListedLinkDraft>(READERS);

export function toListedLink(document: Uint8Array): ListedLink {
  return fields.read(document, new ListedLinkDraft());
}
