import { Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/access';
import { composed } from '../../common/plain-text';
import type { ChosenId } from '../../idempotency/attempt';
import { LinksRepository } from '../../stores/links/links.repository';
import { LinkIndex } from '../link-index/link-index';
import { AccountTags } from '../../stores/tags/account-tags';
import { type Tag, tagKey, tagName } from '../../stores/tags/tag';
import { TagsRepository } from '../../stores/tags/tags.repository';
import type { CreateTagDto, ListTagsDto, UpdateTagDto } from './tag.dto';
import {
  type RemovedTagResponse,
  type TagListResponse,
  type TagResponse,
  toTagResponse,
} from './tag.response';
import { TagNameTakenError, UnknownTagError } from '../../stores/tags/tags.errors';

@Injectable()
export class TagsService {
  constructor(
    private readonly tags: AccountTags,
    private readonly repository: TagsRepository,
    private readonly links: LinksRepository,
    private readonly index: LinkIndex,
  ) {}

  async list({ search, sortBy }: ListTagsDto, { ownerId }: Principal): Promise<TagListResponse> {
    const counts = await this.index.countByTag(ownerId);
    const part = composed(search ?? '').toLowerCase();
    const { all } = await this.tags.findTags(ownerId);
    const found = all
      .filter(({ key }) => key.includes(part))
      .map((tag) => toTagResponse(tag, counts.get(tag.id)));
    // The sort is stable, so tags with equal counts stay sorted by name.
    if (sortBy === 'links') found.sort((a, b) => b.links - a.links);
    return { tags: found };
  }

  /** @param chosen id for the new tag, which may already exist after a retry */
  async create(
    { name, color }: CreateTagDto,
    { ownerId }: Principal,
    chosen: ChosenId,
  ): Promise<TagResponse> {
    const before = chosen.isRepeated ? await this.repository.findOwn(ownerId, chosen.id) : null;
    if (before !== null) return this.answer(ownerId, before);
    const tag = { id: chosen.id, name: tagName(name), color: color ?? undefined };
    const created = await this.tags.make(ownerId, tag, 'name');
    if (created === null) throw new TagNameTakenError(tag.name);
    return toTagResponse(created);
  }

  async update(
    id: string,
    { name, color }: UpdateTagDto,
    { ownerId }: Principal,
  ): Promise<TagResponse> {
    const changed = await this.change(ownerId, id, {
      ...(typeof name === 'string' && { name: tagName(name), key: tagKey(name) }),
      ...(color && { color }),
    });
    await this.tags.forget(ownerId);
    return this.answer(ownerId, changed);
  }

  /** Links stop showing the tag immediately, before it is removed from them. */
  async remove(id: string, { ownerId }: Principal): Promise<RemovedTagResponse> {
    if (!(await this.repository.remove(ownerId, id))) throw new UnknownTagError();
    await this.tags.forget(ownerId);
    await this.links.untag(ownerId, id);
    return { message: 'Tag deleted', id };
  }

  private async answer(ownerId: string, tag: Tag): Promise<TagResponse> {
    const counts = await this.index.countByTag(ownerId);
    return toTagResponse(tag, counts.get(tag.id));
  }

  private async change(
    ownerId: string,
    id: string,
    change: Parameters<TagsRepository['change']>[2],
  ): Promise<Tag> {
    const changed = await this.repository.change(ownerId, id, change);
    if (changed === null) throw new UnknownTagError();
    if (changed === 'taken') throw new TagNameTakenError(change.name ?? '');
    return changed;
  }
}
