import { crc32 } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { NO_DESTINATIONS } from '../../destinations/destinations';
import { DEFAULT_SETTINGS, type RememberedLink } from './link';
import { PRIVATE_ROWS } from './link-fields';

type OwnField = 'id' | 'alias' | 'longUrl' | 'location' | 'ownerId' | 'generation' | 'createdAt';

type PlainFields = Omit<RememberedLink, OwnField | 'isPlain' | 'decision'>;

/** Settings that redirects do not use, or that differ for each link. */
const NOT_SHARED = new Set<string>([
  ...['alias', 'password', 'tagNames'],
  ...PRIVATE_ROWS.map(({ key }) => key),
]);
/** Values that all other settings have in a plain link. */
const PLAIN_VALUES = Object.fromEntries(
  Object.entries({
    ...DEFAULT_SETTINGS,
    destinations: NO_DESTINATIONS,
    campaign: '',
    updatedAt: null,
    status: 'ACTIVE',
    closedByLimit: false,
    blocked: null,
    passwordHash: null,
    quotaActiveFrom: null,
    qrStyle: null,
  }).filter(([field]) => !NOT_SHARED.has(field)),
) as unknown as PlainFields;
const PLAIN_FIELDS = Object.keys(PLAIN_VALUES) as (keyof PlainFields)[];

const owners = new LRUCache<string, string>({ max: 1000 });

/** Needs a third of the memory. To copy it, use `withChanges`: a spread loses shared fields. */
class PlainLink implements Pick<RememberedLink, OwnField | 'isPlain'> {
  readonly id: string;
  readonly alias: string;
  readonly longUrl: string;
  readonly location: string;
  readonly ownerId: string | null;
  readonly generation: RememberedLink['generation'];
  private readonly createdMs: number;
  isPlain?: boolean = undefined;

  constructor(link: RememberedLink) {
    this.id = flat(link.id);
    this.alias = link.alias;
    this.longUrl = link.longUrl;
    this.location = link.location === link.longUrl ? link.longUrl : link.location;
    this.ownerId = link.ownerId && sharedOwner(link.ownerId);
    // Constants are used, so that the decoded strings can be freed.
    this.generation = link.generation === 'v1' ? 'v1' : 'v2';
    this.createdMs = link.createdAt.getTime();
  }

  get createdAt(): Date {
    return new Date(this.createdMs);
  }
}
Object.assign(PlainLink.prototype, PLAIN_VALUES);

export function compactLink(link: RememberedLink): RememberedLink {
  const isPlain = PLAIN_FIELDS.every((field) => link[field] === PLAIN_VALUES[field]);
  return isPlain ? (new PlainLink(link) as PlainLink & PlainFields) : link;
}

export function withChanges(
  link: RememberedLink,
  changes: Partial<RememberedLink>,
): RememberedLink {
  const copy = Object.create(Object.getPrototypeOf(link) as object) as RememberedLink;
  return Object.assign(copy, link, changes);
}

/** Measured size including the cache entry, but without strings. */
const PLAIN_BYTES = 340;
/** Size of other links in addition to their documents, which contain all strings. */
const FULL_BYTES = 800;
const FULL_TIMES_DOCUMENT = 2;

/** Returns an estimate in bytes; `documentBytes` is the length of the link's BSON. */
export function memoryBytes(link: RememberedLink, documentBytes: number): number {
  if (!(link instanceof PlainLink)) return FULL_BYTES + FULL_TIMES_DOCUMENT * documentBytes;
  const { alias, longUrl, location } = link;
  return (
    PLAIN_BYTES +
    textBytes(alias) +
    textBytes(longUrl) +
    (location === longUrl ? 0 : textBytes(location))
  );
}

/** V8 uses two bytes per character if a string has a character outside Latin-1. */
function textBytes(text: string): number {
  return /^[\0-\xff]*$/.test(text) ? text.length : text.length * 2;
}

function sharedOwner(id: string): string {
  const known = owners.get(id);
  if (known !== undefined) return known;
  const owner = flat(id);
  owners.set(owner, owner);
  return owner;
}

/** Copies the id, because the driver's concatenated string takes five times as much memory. */
function flat(id: string): string {
  return Buffer.from(id, 'latin1').toString('latin1');
}

/** Returns a 53-bit hash for recognising an unchanged document. */
export function fingerprint(document: Uint8Array): number {
  let hash = document.length;
  for (const byte of document) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0) * 2 ** 21 + (crc32(document) >>> 11);
}
