import { isDeepStrictEqual } from 'node:util';
import type { mongo } from 'mongoose';
import {
  hasDestinations,
  type NewDestinations,
  type NewVariant,
} from '../../destinations/destinations';
import { aliasesOn } from './alias-form';
import type { Link, NewLink } from './link';
import {
  ABSENT,
  LinkCollection,
  LINKS_BATCH,
  NOT_BLOCKED,
  objectId,
} from './link-collection.repository';
import { FIELD_ROWS, mapFields } from './link-fields';
import { destinationHash, type LinkRecord, toLink } from './link.schema';

const BY_DESTINATION = 'owner_destination';

/** Finds links with equal settings, for requests with `reuse` (docs/contract.md#20.4). */
export class AlikeLinks extends LinkCollection {
  /**
   * Returns the newest active link that has no password, and has this destination, these settings
   * and the alias or, without an alias, the domain; null if there is none.
   */
  async findNewest(
    ownerId: string,
    link: Omit<NewLink, 'alias' | 'tags'>,
    where: string | { readonly domainId: string | null },
    except: readonly string[] = [],
  ): Promise<Link | null> {
    const alike: mongo.Filter<LinkRecord> = {
      owner: objectId(ownerId),
      destination_hash: destinationHash(link.longUrl),
      long_url: link.longUrl,
      status: 'ACTIVE',
      ...NOT_BLOCKED,
      password_hash: null,
      ...mapFields(
        ({ key, name, initial, isBasic }) => [
          name,
          link[key] === initial && !isBasic ? ABSENT : link[key],
        ],
        FIELD_ROWS.filter(({ isPrivate }) => !isPrivate),
      ),
      ...countsFilter(link.destinations),
      alias: typeof where === 'string' ? where : { $regex: aliasesOn(where.domainId) },
      _id: { $nin: except.map(objectId) },
    };
    const newest = { hint: BY_DESTINATION, sort: { created_at: -1, _id: -1 } } as const;
    if (!hasDestinations(link.destinations)) {
      const record = await this.links.findOne(alike, newest);
      return record === null ? null : toLink(record);
    }
    const records = this.links.find(alike, { ...newest, limit: LINKS_BATCH });
    for await (const record of records) {
      const found = toLink(record);
      if (isAlike(link.destinations, found.destinations)) return found;
    }
    return null;
  }
}

/** Matches links with equal numbers of rules and variants, and with geo rules if requested. */
function countsFilter({ rules, geoRules, abVariants }: NewDestinations): mongo.Filter<LinkRecord> {
  const sizeFilter = (count: number) => (count === 0 ? ABSENT : { $size: count });
  return {
    rules: sizeFilter(rules.length),
    geo_rules: { $exists: geoRules !== null },
    ab_variants: sizeFilter(abVariants.length),
  };
}

/** Compares destinations but ignores the generated keys of rules and variants. */
function isAlike(requested: NewDestinations, link: NewDestinations): boolean {
  const { rules, geoRules, abVariants } = link;
  return isDeepStrictEqual(
    [requested.geoRules, requested.abVariants.map(plainVariant), requested.rules],
    [
      geoRules,
      abVariants.map(plainVariant),
      rules.map(({ key, when, to }, i) =>
        requested.rules[i]?.key === undefined ? { when, to } : { key, when, to },
      ),
    ],
  );
}

const plainVariant = ({ url, weight }: NewVariant): NewVariant => ({ url, weight });
