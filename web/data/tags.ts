import { tagKey } from '../../src/stores/tags/tag';
import { api, bodyOf, type Schemas } from '../api/client';
import { type Query, useQuery } from './query';

export type Tag = Schemas['TagResponse'];

/** All tags of the account, by name. */
export function useTags(): Query<readonly Tag[]> {
  return useQuery('tags', async () => (await bodyOf(api.GET('/api/v1/tags'))).tags);
}

/** The colour of a tag by its name; grey while nobody knows it. */
export function colourOf(name: string, tags: readonly Tag[] | undefined): Tag['color'] {
  const key = tagKey(name);
  return tags?.find((tag) => tagKey(tag.name) === key)?.color ?? 'grey';
}
