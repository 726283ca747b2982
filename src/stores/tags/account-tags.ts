import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DatabaseUnavailableError } from '../../common/errors';
import { ChangeBus } from '../../infrastructure/change-bus/bus';
import { MAX_TAGS, type Tag, TAG_COLORS, type TagColor, tagKey } from './tag';
import { TagSet } from './tag-set';
import { TagsRepository } from './tags.repository';
import { TagCapError } from './tags.errors';

/** Maximum tags for all accounts in a web process; they take about 30 MB. */
const MAX_TAGS_IN_MEMORY = 100_000;
/** Maximum age of a cached tag if a change message is lost. */
const TAGS_KEPT_MS = 30_000;
/** Maximum age of a cached tag while change messages may be lost. */
const DOUBTFUL_TAGS_MS = 800;
/** Maximum attempts, because a tag may be deleted between its creation and its use. */
const TAG_ATTEMPTS = 3;
/** Maximum number of tags that concurrent requests are expected to create. */
const CROWD = 200;

interface RequestedTag {
  readonly id?: string;
  readonly name: string;
  readonly color?: TagColor;
}

interface CachedTags {
  readonly tags: Promise<TagSet>;
  readonly readAt: number;
}

/** A change clears the account's cached tags in all web processes, even during a read. */
@Injectable()
export class AccountTags {
  private readonly cache = new LRUCache<string, CachedTags>({
    maxSize: MAX_TAGS_IN_MEMORY,
    ttl: TAGS_KEPT_MS,
  });

  constructor(
    private readonly repository: TagsRepository,
    private readonly bus: ChangeBus,
  ) {
    bus.subscribe('tags.changed', (ownerId) => void this.cache.delete(ownerId as string));
    bus.onGap(() => this.cache.clear());
  }

  /** The result is at most a second old. */
  findTags(ownerId: string | null): Promise<TagSet> {
    if (ownerId === null) return Promise.resolve(TagSet.EMPTY);
    const known = this.cache.get(ownerId);
    const isBelieved =
      known !== undefined &&
      (this.bus.isWhole || performance.now() - known.readAt <= DOUBTFUL_TAGS_MS);
    return isBelieved ? known.tags : this.read(ownerId);
  }

  /** Creates missing tags, so run all other checks first. @throws TagCapError with this field */
  async idsFor(ownerId: string, names: readonly string[], field = 'tags'): Promise<string[]> {
    if (names.length === 0) return [];
    const known = await this.findTags(ownerId);
    const ids = names.map((name) => known.byName(name)?.id);
    return ids.includes(undefined) ? this.idsWithNew(ownerId, names, field) : (ids as string[]);
  }

  /** Null if the account already has a tag with this name. @throws TagCapError with this field */
  async make(ownerId: string, tag: RequestedTag, field: string): Promise<Tag | null> {
    const known = await this.read(ownerId);
    if (known.byName(tag.name) !== undefined) return null;
    const [made] = await this.makeAll(ownerId, [tag], known.size, field);
    return made ?? null;
  }

  forget(ownerId: string): Promise<void> {
    return this.bus.publish('tags.changed', ownerId);
  }

  private async idsWithNew(
    ownerId: string,
    names: readonly string[],
    field: string,
  ): Promise<string[]> {
    for (let attempt = 0; attempt < TAG_ATTEMPTS; attempt++) {
      const known = await this.read(ownerId);
      const tags = names.map((name) => known.byName(name));
      const unknown = names.filter((_, i) => tags[i] === undefined).map((name) => ({ name }));
      if (unknown.length === 0) return tags.map((tag) => tag?.id ?? '');
      await this.makeAll(ownerId, unknown, known.size, field);
    }
    throw new DatabaseUnavailableError();
  }

  /** Creates all tags or none; returns only tags that no concurrent request created. */
  private async makeAll(
    ownerId: string,
    tags: readonly RequestedTag[],
    count: number,
    field: string,
  ): Promise<Tag[]> {
    if (count + tags.length > MAX_TAGS) throw new TagCapError(field);
    const created: Tag[] = [];
    for (const [i, { id, name, color = defaultColor(count + i) }] of tags.entries()) {
      const tag = { id, name, key: tagKey(name), color };
      const stored = await this.repository.insert(ownerId, tag, new Date());
      if (stored !== null) created.push(stored);
    }
    // Checked again after the insert, because concurrent requests may have created tags.
    const isOver =
      count + tags.length > MAX_TAGS - CROWD &&
      (await this.repository.countByOwner(ownerId)) > MAX_TAGS;
    if (isOver) for (const { id } of created) await this.repository.remove(ownerId, id);
    await this.forget(ownerId);
    if (isOver) throw new TagCapError(field);
    return created;
  }

  private read(ownerId: string): Promise<TagSet> {
    const tags = this.repository.findByOwner(ownerId).then((found) => new TagSet(found));
    const entry = { tags, readAt: performance.now() };
    this.cache.set(ownerId, entry, { size: 1 });
    const isKept = (): boolean => this.cache.peek(ownerId) === entry;
    tags.then(
      ({ size }) => isKept() && this.cache.set(ownerId, entry, { size: size + 1 }),
      () => isKept() && this.cache.delete(ownerId),
    );
    return tags;
  }
}

function defaultColor(place: number): TagColor {
  return TAG_COLORS[place % TAG_COLORS.length] ?? 'grey';
}
