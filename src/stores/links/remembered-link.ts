import { crc32 } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { NO_DESTINATIONS } from '../../destinations/destinations';
import { DEFAULT_SETTINGS, type RememberedLink } from './link';

type OwnField = 'id' | 'alias' | 'longUrl' | 'location' | 'ownerId' | 'generation' | 'createdAt';

type PlainFields = Omit<RememberedLink, OwnField | 'isPlain' | 'decision'>;

/** Settings that redirects do not read, and those that each link has itself. */
const NOT_SHARED = new Set(['alias', 'password', 'title', 'note', 'tagNames']);
/** The values of a plain link in the other fields. */
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

/** Equal ids of owners share one string. */
const owners = new LRUCache<string, string>({ max: 1000 });

/**
 * A plain link in a third of the memory: the prototype has the fields that all plain links share.
 * Copies of it (`{ ...link }`) would lack these; `withChanges` copies any link.
 */
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
    // Texts out of a document are new strings.
    this.generation = link.generation === 'v1' ? 'v1' : 'v2';
    this.createdMs = link.createdAt.getTime();
  }

  get createdAt(): Date {
    return new Date(this.createdMs);
  }
}
Object.assign(PlainLink.prototype, PLAIN_VALUES);

/** The link in as little memory as it can take. */
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

/** Measured: a plain link beside its texts, with its place in a cache. */
export const PLAIN_BYTES = 340;
/** The same of other links, whose documents have all of their texts. */
const FULL_BYTES = 800;
const FULL_TIMES_DOCUMENT = 2;

/**
 * Bytes of memory that a remembered link takes in a cache, roughly.
 * @param documentBytes length of the document that it was decoded from
 */
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

/** Two bytes a character where one lies beyond Latin-1. */
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

/** The driver joins an id of twelve pieces, which take five times the memory of a flat text. */
function flat(id: string): string {
  return Buffer.from(id, 'latin1').toString('latin1');
}

/** 53 bits by which an unchanged document is known again, without keeping it. */
export function fingerprint(document: Uint8Array): number {
  let hash = document.length;
  for (const byte of document) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0) * 2 ** 21 + (crc32(document) >>> 11);
}
