import { tagKey } from '../../src/stores/tags/tag';
import { api, bodyOf, type Schemas } from '../api/client';
import { type Query, useQuery } from './query';

export type Tag = Schemas['TagResponse'];

export function useTags(): Query<readonly Tag[]> {
  return useQuery('tags', async () => (await bodyOf(api.GET('/api/v1/tags'))).tags);
}

export function colourOf(name: string, tags: readonly Tag[] | undefined): Tag['color'] {
  const key = tagKey(name);
  return tags?.find((tag) => tagKey(tag.name) === key)?.color ?? 'grey';
}
