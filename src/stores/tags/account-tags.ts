import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { BadRequestError, DatabaseUnavailableError } from '../../common/errors';
import { ChangeBus } from '../../infrastructure/change-bus/bus';
import { MAX_TAGS, type Tag, TAG_COLORS, type TagColor, tagKey } from './tag';
import { TagSet } from './tag-set';
import { TagsRepository } from './tags.repository';

/** Tags in the memory of a web process, of all accounts together: some 30 MB. */
const MAX_TAGS_IN_MEMORY = 100_000;
/** A change whose message was lost is seen after this time. */
const TAGS_KEPT_MS = 30_000;
/** How long tags are believed while changes made elsewhere may not be heard. */
const DOUBTFUL_TAGS_MS = 800;
/** Times that a tag may be deleted between its making and its use. */
const TAG_ATTEMPTS = 3;
/** Tags that others may make while some are made. */
const CROWD = 200;

/** 400: the account has all the tags that it may have. */
export class TagCapError extends BadRequestError {
  constructor(field: string) {
    super(`An account may have ${MAX_TAGS} tags; delete one first`, field);
  }
}

/** A tag to be made, its name in the stored form. */
interface AskedTag {
  readonly id?: string;
  readonly name: string;
  readonly color?: TagColor;
}

interface CachedTags {
  readonly tags: Promise<TagSet>;
  readonly readAt: number;
}

/**
 * The tags of accounts, from memory where possible; a change has every web process forget those of
 * the account, also a read that is under way.
 */
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

  /** All tags of the account as they are at the call, or at most a second before it. */
  findTags(ownerId: string | null): Promise<TagSet> {
    if (ownerId === null) return Promise.resolve(TagSet.EMPTY);
    const known = this.cache.get(ownerId);
    const isBelieved =
      known !== undefined &&
      (this.bus.isWhole || performance.now() - known.readAt <= DOUBTFUL_TAGS_MS);
    return isBelieved ? known.tags : this.read(ownerId);
  }

  /**
   * Ids of the account's tags of these names, in their stored form and each once; unknown ones are
   * made. To be called when nothing else can refuse the request, so that it leaves no tag behind.
   *
   * @throws TagCapError with this field
   */
  async idsFor(ownerId: string, names: readonly string[], field = 'tags'): Promise<string[]> {
    if (names.length === 0) return [];
    const known = await this.findTags(ownerId);
    const ids = names.map((name) => known.byName(name)?.id);
    return ids.includes(undefined) ? this.idsWithNew(ownerId, names, field) : (ids as string[]);
  }

  /**
   * Makes a tag; null when the account has one of that name.
   *
   * @throws TagCapError with this field
   */
  async make(ownerId: string, tag: AskedTag, field: string): Promise<Tag | null> {
    const known = await this.read(ownerId);
    if (known.byName(tag.name) !== undefined) return null;
    const [made] = await this.makeAll(ownerId, [tag], known.size, field);
    return made ?? null;
  }

  /** To be called after a change was stored: every web process forgets the account's tags. */
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

  /** The new ones among these, without those that others made meanwhile; all or none. */
  private async makeAll(
    ownerId: string,
    tags: readonly AskedTag[],
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
    // Judged again when they are stored, as others may have come in between.
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
