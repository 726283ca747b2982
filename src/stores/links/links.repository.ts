import type { mongo } from 'mongoose';
import { isDuplicateKey } from '../../common/database-fault';
import { collectWriteErrors } from '../../infrastructure/mongo/bulk-write';
import { changesAddresses } from './destination-hosts';
import { foldAliases, insertUnlessHeld } from './folded-aliases.repository';
import type { Link, LinkBlock, LinkChange, NewLink, QrStyle } from './link';
import { ABSENT, among, LINKS_BATCH, NOT_BLOCKED, objectId } from './link-collection.repository';
import { LinkTotalWrites } from './link-total-writes.repository';
import {
  blocking,
  changing,
  claiming,
  folding,
  insertion,
  inOrder,
  type LinkPipeline,
  quotaActivation,
  restyling,
  type SharedChange,
  SLOT_TAKING,
  tagsAfter,
  unblocking,
  untagging,
} from './link-updates';
import { type ListableLink, toFills, type UnfilledLinks } from './link-walk.repository';
import { AliasTakenError } from './link.errors';
import { type LinkRecord, toLink, toRecord } from './link.schema';
import { addressesAsRead } from './stored-destinations.schema';

const BY_TAG = 'owner_tags';
const TRIES_AT_ONCE = 5;

/** Only this class and its base write links. */
export class LinksRepository extends LinkTotalWrites {
  // Changes by owners.

  /** Durable. Returns for each link the stored link (new or existing by id), or AliasTakenError. */
  async insertMany(links: readonly NewLink[], now: Date): Promise<(Link | Error)[]> {
    const insert = (free: readonly NewLink[]) => this.insertFree(free, now);
    return this.ignoresCase ? insertUnlessHeld(this.links, links, insert) : insert(links);
  }

  private async insertFree(links: readonly NewLink[], now: Date): Promise<(Link | Error)[]> {
    if (links.length === 0) return [];
    const records = links.map((link) => toRecord(link, now, this.ignoresCase));
    const inserts = records.map(({ _id, ...values }) => ({
      updateOne: { filter: { _id }, update: insertion(values), upsert: true },
    }));
    let inserted = 0;
    const write = this.writable.bulkWrite(inserts, { ordered: false });
    const errors = await collectWriteErrors(
      write.then(({ upsertedCount }) => (inserted = upsertedCount)),
    );
    const failures = new Map(errors.map((error) => [error.index, error]));
    // A concurrent request may have stored a link with the same id before or after the check.
    const isPlain = inserted === records.length;
    const before = isPlain
      ? []
      : await this.links.find({ _id: { $in: records.map(({ _id }) => _id) } }).toArray();
    const stored = new Map(before.map((record) => [record._id.toHexString(), toLink(record)]));
    return records.map((record, i) => {
      const failure = failures.get(i);
      const link = stored.get(record._id.toHexString());
      if (link !== undefined || failure === undefined) return link ?? toLink(record);
      return isDuplicateKey(failure) ? new AliasTakenError(record.alias) : failure;
    });
  }

  /** Null if the link was deleted, blocked or changed since it was read. @throws AliasTakenError */
  async change(link: Link, change: LinkChange, now: Date, touch: boolean): Promise<Link | null> {
    try {
      const asRead = { ...NOT_BLOCKED, ...addressesAsRead(link, change) };
      const which = { _id: objectId(link.id), alias: link.alias, ...asRead };
      const update = changing(change, now, touch, null, link);
      update.push(...folding(link.alias, change, this.ignoresCase));
      return await this.update(which, update);
    } catch (error) {
      if (isDuplicateKey(error)) throw new AliasTakenError(change.alias ?? link.alias);
      throw error;
    }
  }

  /** Skips links that are blocked, would have too many tags, or would end before they start. */
  async changeMany(
    ownerId: string,
    ids: readonly string[],
    { change, moves, touch, now }: SharedChange,
    maxTags: number,
  ): Promise<void> {
    const fits = moves && { $expr: { $lte: [{ $size: tagsAfter(moves) }, maxTags] } };
    const owned = { ...among(ids), owner: objectId(ownerId), ...NOT_BLOCKED };
    const which = { ...owned, ...fits, ...inOrder(change) };
    if (changesAddresses(change)) {
      await this.changeEach(which, { change, moves, touch, now });
      return;
    }
    await this.writable.updateMany(which, changing(change, now, touch, moves));
  }

  /** Updates links one by one, because each update depends on the link's current destinations. */
  private async changeEach(
    which: mongo.Filter<LinkRecord>,
    { change, moves, touch, now }: SharedChange,
  ): Promise<void> {
    for (let attempt = 0; attempt < TRIES_AT_ONCE; attempt++) {
      const links = (await this.links.find(which).toArray()).map(toLink);
      if (links.length === 0) return;
      const updates = links.map((link) => ({
        updateOne: {
          filter: { ...which, _id: objectId(link.id), ...addressesAsRead(link, change) },
          update: changing(change, now, touch, moves, link),
        },
      }));
      const { matchedCount } = await this.writable.bulkWrite(updates, { ordered: false });
      // Links that changed concurrently are read again; repeating the other updates has no effect.
      if (matchedCount === links.length) return;
    }
  }

  /** Does nothing if the password has been changed since it was read. */
  async replacePasswordHash(id: string, from: string, to: string): Promise<void> {
    const which = { _id: objectId(id), password_hash: from };
    await this.writable.updateOne(which, { $set: { password_hash: to } });
  }

  /** Returns the updated link; null if the link does not exist. */
  restyle(id: string, style: QrStyle | null): Promise<Link | null> {
    return this.update({ _id: objectId(id) }, restyling(style));
  }

  /** Null unless the claim token matches. Atomic: only one concurrent claim succeeds. */
  claim(id: string, claimHash: string, ownerId: string): Promise<Link | null> {
    const which = { _id: objectId(id), owner: null, claim: claimHash };
    return this.update(which, claiming(objectId(ownerId)));
  }

  async untag(ownerId: string, tagId: string): Promise<void> {
    const tag = objectId(tagId);
    const tagged = { owner: objectId(ownerId), tags: tag };
    for (;;) {
      const batch = await this.links
        .find(tagged, { projection: { _id: 1 }, hint: BY_TAG, limit: LINKS_BATCH })
        .toArray();
      if (batch.length === 0) return;
      // Uses batches, because a write must become visible soon after its timestamp.
      const which = { _id: { $in: batch.map(({ _id }) => _id) }, tags: tag };
      await this.writable.updateMany(which, untagging(tag));
    }
  }

  /** Returns the deleted link's alias; null if the link does not exist, or is to be kept. */
  async remove(id: string, keepIfBlocked: boolean): Promise<string | null> {
    const which = { _id: objectId(id), ...(keepIfBlocked && NOT_BLOCKED) };
    const removed = await this.writable.findOneAndDelete(which, { projection: { alias: 1 } });
    return removed?.alias ?? null;
  }

  // Blocked links (docs/contract.md#24.4).

  /** Returns the link before the change, or null. If it is already blocked, updates the reason. */
  async block(id: string, block: Omit<LinkBlock, 'at'>): Promise<Link | null> {
    const record = await this.writable.findOneAndUpdate({ _id: objectId(id) }, blocking(block));
    return record === null ? null : toLink(record);
  }

  /** Returns the link before the change; null if it does not exist or is not blocked. */
  async unblock(id: string): Promise<Link | null> {
    const blocked = { _id: objectId(id), blocked: { $exists: true } };
    const record = await this.writable.findOneAndUpdate(blocked, unblocking('admin'));
    return record === null ? null : toLink(record);
  }

  /** Skips blocked links, and links whose destinations have changed since they were read. */
  async closeByList(links: readonly ListableLink[], reason: string): Promise<void> {
    const open = { blocked: ABSENT, list_exempt: ABSENT };
    await this.updateListable(links, open, blocking({ reason, by: 'list' }));
  }

  /** Skips links not blocked by a blocklist, or whose destinations have changed since the read. */
  async openByList(links: readonly ListableLink[]): Promise<void> {
    await this.updateListable(links, { 'blocked.by': 'list' }, unblocking('list'));
  }

  private async updateListable(
    links: readonly ListableLink[],
    which: mongo.Filter<LinkRecord>,
    update: LinkPipeline,
  ): Promise<void> {
    if (links.length === 0) return;
    const writes = links.map(({ id, hosts, longUrl }) => ({
      updateOne: {
        filter: { _id: objectId(id), destination_hosts: hosts, long_url: longUrl, ...which },
        update,
      },
    }));
    await this.writable.bulkWrite(writes, { ordered: false });
  }

  // Click slots (docs/contract.md#7).

  /** Lets a link with a new limit issue slots; null if the link does not exist. */
  activateQuota(id: string, keepStatus: boolean): Promise<Link | null> {
    return this.update({ _id: objectId(id) }, quotaActivation(keepStatus));
  }

  async activateQuotas(ids: readonly string[], keepStatus: boolean): Promise<void> {
    await this.writable.updateMany(among(ids), quotaActivation(keepStatus));
  }

  /**
   * Atomic; taking the last slot deactivates the link. Null if there is no slot or the link is not
   * available. Does not check the indexes, so that redirects work even if none can be built.
   */
  async takeClick(id: string, now: Date): Promise<Link | null> {
    const open = { _id: objectId(id), ...NOT_BLOCKED, ...SLOT_TAKING.condition(now) };
    const taken = { returnDocument: 'after' } as const;
    const record = await this.links.findOneAndUpdate(open, SLOT_TAKING.update, taken);
    return record === null ? null : toLink(record);
  }

  // Fields that earlier releases did not store.

  /** Skips links whose destinations have changed since they were read. */
  async fill(unfilled: UnfilledLinks): Promise<void> {
    const writes = toFills(unfilled);
    if (writes.length > 0) await this.writable.bulkWrite(writes, { ordered: false });
    await foldAliases(this.writable, unfilled.unclaimed);
  }

  private async update(
    which: mongo.Filter<LinkRecord>,
    pipeline: LinkPipeline,
  ): Promise<Link | null> {
    const changed = { returnDocument: 'after' } as const;
    const record = await this.writable.findOneAndUpdate(which, pipeline, changed);
    return record === null ? null : toLink(record);
  }
}
