import type { mongo } from 'mongoose';
import { BsonFields } from '../../infrastructure/mongo/bson-fields';
import { databaseTime } from '../../infrastructure/mongo/database-time';
import { addressesOfLink, hostOfStored, toStoredHosts } from './destination-hosts';
import type { Link, LinkBlock } from './link';
import { BY_FOLD, findCollisions } from './folded-aliases.repository';
import { ABSENT, among, LinkCollection, objectId } from './link-collection.repository';
import { leadingTo } from './link-search';
import { destinationHash, type LinkRecord, OWNED, toLink } from './link.schema';

const BY_DESTINATION = 'owner_destination';
const BY_HOST = 'destination_hosts';
const BY_BLOCKING = 'blocked';
const COUNT_MS = 8000;
/** Owned links created by releases that did not support `reuse`. */
const UNHASHED = { ...OWNED, destination_hash: ABSENT };
const UNFOLDED = { folded_alias: ABSENT };
const WITHOUT_HOSTS = { destination_hosts: ABSENT };

/** Links that the backfill still has to complete. */
export interface UnfilledLinks {
  readonly unhashed: readonly Pick<LinkRecord, '_id' | 'long_url'>[];
  readonly hostless: readonly Link[];
  /** Links without a claim to their folded alias; empty if case is not ignored. */
  readonly unclaimed: readonly mongo.ObjectId[];
}

/** A batch of links in id order. */
interface UnfilledPart extends UnfilledLinks {
  /** Number of links in the batch, including links that are already complete. */
  readonly looked: number;
  /** The last link's id; null if the batch is empty. */
  readonly last: string | null;
}

export interface ListableLink {
  readonly id: string;
  readonly alias: string;
  readonly hosts: readonly string[];
  readonly longUrl: string;
  /** All destinations; read only if patterns must be checked. */
  readonly addresses: readonly string[];
  readonly blockedBy: LinkBlock['by'] | null;
  readonly isExempt: boolean;
}

const BASE_FIELDS = { alias: 1, destination_hosts: 1, list_exempt: 1, 'blocked.by': 1 } as const;
const ADDRESSES = {
  long_url: 1,
  pre_start_url: 1,
  expired_redirect_url: 1,
  'rules.to': 1,
  geo_rules: 1,
  'ab_variants.url': 1,
} as const;

type ListableRecord = Pick<LinkRecord, '_id' | 'alias' | 'destination_hosts' | 'list_exempt'> & {
  readonly long_url: string;
  readonly blocked?: Pick<LinkBlock, 'by'>;
  readonly rules?: readonly { readonly to: string }[];
  readonly ab_variants?: readonly { readonly url: string }[];
} & Partial<Pick<LinkRecord, 'expired_redirect_url' | 'geo_rules' | 'pre_start_url'>>;

const LISTABLE_FIELDS: Record<string, 1> = { ...BASE_FIELDS, ...ADDRESSES };

export type JudgedLink = Pick<
  ListableLink,
  'addresses' | 'blockedBy' | 'hosts' | 'id' | 'isExempt'
>;

class LinkByHosts implements JudgedLink {
  id = '';
  hosts: readonly string[] = [];
  readonly addresses: readonly string[] = [];
  blockedBy: LinkBlock['by'] | null = null;
  isExempt = false;
}

const FIELDS_BY_HOSTS = { destination_hosts: 1, list_exempt: 1, by: '$blocked.by' } as const;

const BY_HOSTS = new BsonFields<LinkByHosts>({
  _id: (link, value) => (link.id = value.hex()),
  destination_hosts: (link, value) => (link.hosts = value.elements((host) => host.text())),
  list_exempt: (link, value) => (link.isExempt = value.boolean()),
  by: (link, value) => (link.blockedBy = value.text() as LinkBlock['by']),
});

/** Reads all links in id order, for the backfill and the blocklists. */
export class LinkWalk extends LinkCollection {
  time(): Promise<Date> {
    return databaseTime(this.db);
  }

  /** Reads only the indexes. */
  async hasUnfilled(): Promise<boolean> {
    const options = { projection: { _id: 1 } } as const;
    const found = await Promise.all([
      this.links.findOne(UNHASHED, { ...options, hint: BY_DESTINATION }),
      this.links.findOne(WITHOUT_HOSTS, { ...options, hint: BY_HOST }),
      this.ignoresCase && this.links.findOne(UNFOLDED, { ...options, hint: BY_FOLD }),
    ]);
    return found.some((link) => link);
  }

  findCollisions(limit: number): ReturnType<typeof findCollisions> {
    return findCollisions(this.links, limit);
  }

  async unfilledAfter(id: string | null, limit: number): Promise<UnfilledPart> {
    const part = await this.links.find(behind(id)).sort({ _id: 1 }).limit(limit).toArray();
    return {
      looked: part.length,
      last: part.at(-1)?._id.toHexString() ?? null,
      unhashed: part.filter(({ owner, destination_hash }) => owner && !destination_hash),
      hostless: part.filter(({ destination_hosts }) => !destination_hosts).map(toLink),
      unclaimed: part.flatMap(({ _id, folded_claim }) =>
        folded_claim === undefined && this.ignoresCase ? _id : [],
      ),
    };
  }

  estimatedCount(): Promise<number> {
    return this.links.estimatedDocumentCount();
  }

  listableAmong(ids: readonly string[]): Promise<ListableLink[]> {
    return this.listable(among(ids), ids.length);
  }

  /** Null stands for anonymous links. */
  async findOwners(ids: readonly string[]): Promise<(string | null)[]> {
    if (ids.length === 0) return [];
    const owners = await this.links.distinct('owner', among(ids));
    return owners.map((owner) => owner && owner.toHexString());
  }

  /** If only hosts are required, does not decode with the driver, which is five times slower. */
  async judgedAfter(
    id: string | null,
    limit: number,
    withAddresses: boolean,
  ): Promise<readonly JudgedLink[]> {
    if (withAddresses) return this.listable(behind(id), limit);
    const cursor = this.links
      .find(behind(id), { raw: true, limit, batchSize: limit })
      .project<Uint8Array>(FIELDS_BY_HOSTS)
      .sort({ _id: 1 });
    const links: JudgedLink[] = [];
    while (await cursor.hasNext()) links.push(...cursor.readBufferedDocuments().map(readByHosts));
    return links;
  }

  countClosedByList(reason: string): Promise<number> {
    return this.links.countDocuments(closedByList(reason), { hint: BY_BLOCKING });
  }

  /** Counts links that a list blocked and that lead to the host or below it. */
  countClosedTo(host: string, reason: string): Promise<number> {
    const closed = { ...leadingTo(host), ...closedByList(reason) };
    return this.links.countDocuments(closed, { hint: BY_HOST, maxTimeMS: COUNT_MS });
  }

  /** Counts links that a list blocked and of which a host meets the condition. */
  async countClosedWith(isMeant: (host: string) => boolean, reason: string): Promise<number> {
    const closed = this.links.find(closedByList(reason), {
      hint: BY_BLOCKING,
      batchSize: 1000,
      maxTimeMS: COUNT_MS,
    });
    const hostsOnly = { _id: 0, destination_hosts: 1 } as const;
    let count = 0;
    for await (const link of closed.project<Pick<LinkRecord, 'destination_hosts'>>(hostsOnly)) {
      if (link.destination_hosts?.some((host) => isMeant(hostOfStored(host)))) count += 1;
    }
    return count;
  }

  /** Counts existing links that lead to the host or below it, and the accounts that own them. */
  async countLeadingTo(host: string): Promise<{ readonly links: number; readonly owners: number }> {
    const byOwner = { $group: { _id: '$owner', links: { $sum: 1 } } };
    const owners = await this.links
      .aggregate<{ _id: unknown; links: number }>([{ $match: leadingTo(host) }, byOwner], {
        hint: BY_HOST,
        maxTimeMS: COUNT_MS,
      })
      .toArray();
    return {
      links: owners.reduce((sum, { links }) => sum + links, 0),
      owners: owners.filter(({ _id }) => _id !== null).length,
    };
  }

  private async listable(which: mongo.Filter<LinkRecord>, limit: number): Promise<ListableLink[]> {
    const found = this.links.find(which).project<ListableRecord>(LISTABLE_FIELDS);
    return (await found.sort({ _id: 1 }).limit(limit).toArray()).map(toListable);
  }
}

/** Updates links whose destinations are still as read; lists do not show these updates. */
export function toFills({
  unhashed,
  hostless,
}: UnfilledLinks): mongo.AnyBulkWriteOperation<LinkRecord>[] {
  return [
    ...unhashed.map(({ _id, long_url }) => ({
      updateOne: {
        filter: { _id, long_url, destination_hash: ABSENT },
        update: { $set: { destination_hash: destinationHash(long_url) } },
      },
    })),
    ...hostless.map((link) => ({
      updateOne: {
        filter: { _id: objectId(link.id), long_url: link.longUrl, ...WITHOUT_HOSTS },
        update: { $set: { destination_hosts: toStoredHosts(link) } },
      },
    })),
  ];
}

function closedByList(reason: string): mongo.Filter<LinkRecord> {
  return { 'blocked.at': { $exists: true }, 'blocked.by': 'list', 'blocked.reason': reason };
}

function behind(id: string | null): mongo.Filter<LinkRecord> {
  return id === null ? {} : { _id: { $gt: objectId(id) } };
}

function readByHosts(document: Uint8Array): JudgedLink {
  return BY_HOSTS.read(document, new LinkByHosts());
}

function toListable(record: ListableRecord): ListableLink {
  const { long_url, pre_start_url, expired_redirect_url, geo_rules } = record;
  const { rules = [], ab_variants = [] } = record;
  return {
    id: record._id.toHexString(),
    alias: record.alias,
    hosts: record.destination_hosts ?? [],
    longUrl: long_url,
    addresses: addressesOfLink({
      longUrl: long_url,
      preStartUrl: pre_start_url ?? null,
      expiredRedirectUrl: expired_redirect_url ?? null,
      destinations: { rules, geoRules: geo_rules ?? null, abVariants: ab_variants },
    }),
    blockedBy: record.blocked?.by ?? null,
    isExempt: record.list_exempt ?? false,
  };
}
