import type { LinkStatus } from '../../stores/links/link';
import { firstCodePoints } from '../../common/plain-text';
import type { LinkRecord } from '../../stores/links/link.schema';
import type { LinkFields } from '../../stores/links/links.repository';
import { BsonFields, type BsonValue } from '../../infrastructure/mongo/bson-fields';

/** Before every time. */
export const NEVER = -Infinity;
/** Expiry of a link without one: after every time. */
export const NO_EXPIRY = Infinity;
/** Code points of a note that a search looks at. */
const SEARCHED_OF_NOTE = 200;

/** A link as far as lists sort, filter and search it; times in milliseconds. */
class ListedLinkDraft {
  id = '';
  alias = '';
  longUrl = '';
  createdAt = NEVER;
  /** NEVER without clicks. */
  lastClick = NEVER;
  totalClicks = 0;
  /** The stored one. */
  status: LinkStatus = 'ACTIVE';
  /** True when its limit, not its owner, has set it INACTIVE. */
  closedByLimit = false;
  blocked = false;
  expireAfter = NO_EXPIRY;
  startsAt = NEVER;
  passwordSet = false;
  maxClicksSet = false;
  title = '';
  /** The first code points of its note, as many as are searched. */
  note = '';
  /** Ids of its tags. */
  tags: readonly string[] = [];
  /** Kind and id of the import that it came with; empty for other links. */
  source = '';
  /** Database time of the write that this was read after. */
  touchedAt = NEVER;
}

export type ListedLink = Readonly<ListedLinkDraft>;

interface ListedSource {
  kind: string;
  importId: string;
}

const sourceFields = new BsonFields<ListedSource>({
  kind: (source, value) => (source.kind = value.text()),
  import: (source, value) => (source.importId = value.hex()),
});

/** The form of a source, which has no slash in its parts. */
export function sourceName(kind: string, importId: string): string {
  return `${kind}/${importId}`;
}

type TakeListed = (link: ListedLinkDraft, value: BsonValue) => void;

/** The stored fields that are read for it, and where each goes. */
const READERS = {
  _id: (link, value) => (link.id = value.hex()),
  alias: (link, value) => (link.alias = value.text()),
  long_url: (link, value) => (link.longUrl = value.text()),
  created_at: (link, value) => (link.createdAt = value.number()),
  last_click: (link, value) => (link.lastClick = value.number()),
  total_clicks: (link, value) => (link.totalClicks = value.number()),
  status: (link, value) => (link.status = value.text() as LinkStatus),
  closed_by_limit: (link, value) => (link.closedByLimit = value.boolean()),
  blocked: (link) => (link.blocked = true),
  expire_after: (link, value) => (link.expireAfter = value.number()),
  starts_at: (link, value) => (link.startsAt = value.number()),
  max_clicks: (link) => (link.maxClicksSet = true),
  password_hash: (link) => (link.passwordSet = true),
  title: (link, value) => (link.title = value.text()),
  note: (link, value) => (link.note = firstCodePoints(value.text(), SEARCHED_OF_NOTE)),
  tags: (link, value) => (link.tags = value.elements((tag) => tag.hex())),
  source: (link, value) => {
    const { kind, importId } = sourceFields.read(value.document(), { kind: '', importId: '' });
    link.source = sourceName(kind, importId);
  },
  touched_at: (link, value) => (link.touchedAt = value.number()),
} as const satisfies Partial<Record<keyof LinkRecord, TakeListed>>;

/** The projection of those fields. */
export const LISTED_FIELDS: LinkFields = Object.fromEntries(
  Object.keys(READERS).map((field) => [field, 1]),
);

const fields = new BsonFields<ListedLinkDraft>(READERS);

/** Reads a listed link out of the bytes of its document. */
export function toListedLink(document: Uint8Array): ListedLink {
  return fields.read(document, new ListedLinkDraft());
}
