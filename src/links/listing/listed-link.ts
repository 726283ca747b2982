import type { LinkStatus } from '../link';
import type { LinkRecord } from '../link.schema';

/** What lists sort and filter by; times in milliseconds. */
export interface ListedLink {
  readonly id: string;
  /** Lower-cased alias and long_url with a line feed between, which neither can contain. */
  readonly text: string;
  readonly createdAt: number;
  /** NEVER without clicks. */
  readonly lastClick: number;
  readonly totalClicks: number;
  /** As stored. */
  readonly status: LinkStatus;
  /** True when its limit, not its owner, has set it INACTIVE. */
  readonly closedByLimit: boolean;
  /** Infinity without an expiry. */
  readonly expireAfter: number;
  readonly passwordSet: boolean;
  readonly maxClicksSet: boolean;
  /** Database time of the write that this was read after. */
  readonly touchedAt: number;
}

/** What is read of a stored link for that. */
export const LISTED_FIELDS = {
  alias: 1,
  long_url: 1,
  created_at: 1,
  last_click: 1,
  total_clicks: 1,
  status: 1,
  closed_by_limit: 1,
  expire_after: 1,
  max_clicks: 1,
  password_hash: 1,
  touched_at: 1,
} as const satisfies Partial<Record<keyof LinkRecord, 1>>;

/** Before every time. */
export const NEVER = -Infinity;

export function searchText(alias: string, longUrl: string): string {
  return `${alias}\n${longUrl}`.toLowerCase();
}

/** Length and first letter tell the fields apart; comparing whole names would take most of the time. */
const keyOf = (length: number, first: number): number => length * 256 + first;
const key = (field: '_id' | keyof typeof LISTED_FIELDS): number =>
  keyOf(field.length, field.charCodeAt(0));
const ID = key('_id');
const ALIAS = key('alias');
const LONG_URL = key('long_url');
const CREATED_AT = key('created_at');
const LAST_CLICK = key('last_click');
const TOTAL_CLICKS = key('total_clicks');
const STATUS = key('status');
const CLOSED_BY_LIMIT = key('closed_by_limit');
const EXPIRE_AFTER = key('expire_after');
const MAX_CLICKS = key('max_clicks');
const PASSWORD_HASH = key('password_hash');
const TOUCHED_AT = key('touched_at');

/**
 * A listed link out of the bytes of its document, of which only these fields were read. The driver
 * makes objects of every date and id, which takes ten times as long: most of the time in which a
 * large account is read.
 */
export function toListedLink(document: Uint8Array): ListedLink {
  const bytes = Buffer.from(document.buffer, document.byteOffset, document.length);
  let [id, alias, longUrl] = ['', '', ''];
  let [createdAt, lastClick, expireAfter, touchedAt] = [NEVER, NEVER, Infinity, NEVER];
  let totalClicks = 0;
  let status: LinkStatus = 'ACTIVE';
  let [closedByLimit, passwordSet, maxClicksSet] = [false, false, false];
  let at = 4;
  for (let type = bytes[at] ?? 0; type !== 0; type = bytes[at] ?? 0) {
    const name = at + 1;
    let from = name;
    while (bytes[from] !== 0) from++;
    const field = keyOf(from - name, bytes[name] ?? 0);
    from++;
    at = from + sizeOf(type, bytes, from);
    if (field === PASSWORD_HASH) passwordSet = type !== NULL;
    else if (field === MAX_CLICKS) maxClicksSet = type !== NULL;
    else if (type === NULL) continue;
    else if (field === ID) id = bytes.toString('hex', from, at);
    else if (field === ALIAS) alias = textAt(bytes, from, at);
    else if (field === LONG_URL) longUrl = textAt(bytes, from, at);
    else if (field === CREATED_AT) createdAt = numberAt(type, bytes, from);
    else if (field === LAST_CLICK) lastClick = numberAt(type, bytes, from);
    else if (field === TOTAL_CLICKS) totalClicks = numberAt(type, bytes, from);
    else if (field === STATUS) status = textAt(bytes, from, at) as LinkStatus;
    else if (field === CLOSED_BY_LIMIT) closedByLimit = bytes[from] === 1;
    else if (field === EXPIRE_AFTER) expireAfter = numberAt(type, bytes, from);
    else if (field === TOUCHED_AT) touchedAt = numberAt(type, bytes, from);
  }
  const text = searchText(alias, longUrl);
  return {
    id,
    text,
    createdAt,
    lastClick,
    totalClicks,
    status,
    closedByLimit,
    expireAfter,
    passwordSet,
    maxClicksSet,
    touchedAt,
  };
}

// The types of BSON (bsonspec.org) that links are stored with.
const DOUBLE = 1;
const TEXT = 2;
const OBJECT_ID = 7;
const BOOLEAN = 8;
const DATE = 9;
const NULL = 10;
const INT32 = 16;
const INT64 = 18;

function sizeOf(type: number, bytes: Buffer, from: number): number {
  switch (type) {
    case TEXT:
      return 4 + bytes.readInt32LE(from);
    case OBJECT_ID:
      return 12;
    case DOUBLE:
    case DATE:
    case INT64:
      return 8;
    case INT32:
      return 4;
    case BOOLEAN:
      return 1;
    case NULL:
      return 0;
    default:
      throw new Error(`A field of a link is stored with the type ${type}`);
  }
}

/** Between its length and its ending zero. */
function textAt(bytes: Buffer, from: number, end: number): string {
  return bytes.toString('utf8', from + 4, end - 1);
}

/** Times and counts are far below 2^53. */
function numberAt(type: number, bytes: Buffer, from: number): number {
  if (type === INT32) return bytes.readInt32LE(from);
  if (type === DOUBLE) return bytes.readDoubleLE(from);
  return bytes.readInt32LE(from + 4) * 2 ** 32 + bytes.readUInt32LE(from);
}
