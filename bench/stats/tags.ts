import mongoose from 'mongoose';

const TAGS = 500;

export type StoredTags = ReadonlyMap<string, string>;

export const ONE_TAG = 'tag 7';

export async function seedTags(
  connection: mongoose.Connection,
  owner: mongoose.Types.ObjectId,
): Promise<StoredTags> {
  const tags = Array.from({ length: TAGS }, (_, i) => ({
    _id: new mongoose.Types.ObjectId(),
    ...{ owner, name: `tag ${i}`, key: `tag ${i}`, color: 'grey', created_at: new Date() },
  }));
  await connection.collection('tags').insertMany(tags);
  return new Map(tags.map(({ _id, name }) => [_id.toHexString(), name]));
}

export function tagsOfLink(tags: StoredTags, link: number): mongoose.Types.ObjectId[] {
  const ids = [...tags.keys()];
  const third = Math.floor(TAGS / 3);
  const places = [link, link + 1 + ((link * 31) % third), link + third + 1 + ((link * 57) % third)];
  return places.map((place) => new mongoose.Types.ObjectId(ids[place % TAGS]));
}
