import type { Link } from './link';
import { BY_CREATION, LinkCollection, objectId } from './link-collection.repository';
import { type LinkCriteria, toConditions } from './link-search';
import { toLink } from './link.schema';

const BY_AGE = 'created';
const BY_HOST = 'destination_hosts';
const BY_BLOCKING = 'blocked';

export class LinkSearch extends LinkCollection {
  /** Returns the newest or most recently blocked links first; throws after `maxTimeMS` (`isOverTime`). */
  async search(
    criteria: LinkCriteria,
    { page, pageSize }: { page: number; pageSize: number },
    maxTimeMS: number,
  ): Promise<{ links: Link[]; total: number }> {
    const { host, ownerId, status } = criteria;
    const conditions = toConditions(criteria, new Date());
    const owned = ownerId === undefined ? {} : { owner: objectId(ownerId) };
    const which = { ...owned, ...(conditions.length > 0 && { $and: conditions }) };
    const isAll = ownerId === undefined && conditions.length === 0;
    const newest = { created_at: -1, _id: -1 } as const;
    const [hint, sort] =
      ownerId !== undefined
        ? [BY_CREATION, newest]
        : status === 'BLOCKED'
          ? [BY_BLOCKING, { 'blocked.at': -1, _id: -1 } as const]
          : [host === undefined ? BY_AGE : BY_HOST, newest];
    const [records, total] = await Promise.all([
      this.links
        .find(which, { hint, sort, maxTimeMS, skip: (page - 1) * pageSize, limit: pageSize })
        .toArray(),
      isAll
        ? this.links.estimatedDocumentCount({ maxTimeMS })
        : this.links.countDocuments(which, { hint, maxTimeMS }),
    ]);
    return { links: records.map(toLink), total };
  }
}
