import type { ChunkSource, LinkFollower } from '../query/chunk-source';
import {
  DIMENSIONS,
  type MarkedLink,
  type Source,
  type StatisticsQuery,
} from '../query/statistics-query';
import { LinkMarks } from './source-marks';

export interface QueriedLinks {
  /** Links by ID; may include links that the query does not need. */
  readonly links: ReadonlyMap<string, MarkedLink>;
  /** IDs of the links that pass the filters; null if all links pass. */
  readonly only: readonly string[] | null;
  readonly marks: LinkMarks | null;
}

/** `follower` is null unless all of an account's links were read. */
export interface ReadQueriedLinks extends QueriedLinks {
  readonly follower: LinkFollower | null;
}

type MarkCriteria = Pick<StatisticsQuery, 'dimensions' | 'filters'>;

/** Reads links with their marks; for an account, may skip links that the filters exclude. */
export async function readQueriedLinks(
  chunks: ChunkSource,
  source: Source,
  query: MarkCriteria,
): Promise<ReadQueriedLinks> {
  if ('ownerId' in source) return readAccount(chunks, source.ownerId, query);
  const ids = source.links.map(({ id }) => id);
  const found = asksForMarks(query) ? await chunks.readMarkedLinks({ ids }) : [];
  const marksById = new Map(found.map(({ id, marks }) => [id, marks]));
  const named = source.links.map((link) => ({ ...link, marks: marksById.get(link.id) ?? [] }));
  const marked = { ids: [...new Set(found.flatMap(({ marks }) => marks))] };
  return { ...(await readLinkMarks(chunks, marked, byId(named), query)), follower: null };
}

export async function readLinkMarks(
  chunks: ChunkSource,
  which: Parameters<ChunkSource['readMarks']>[0],
  links: ReadonlyMap<string, MarkedLink>,
  query: MarkCriteria,
): Promise<QueriedLinks> {
  if (!asksForMarks(query)) return { links, only: null, marks: null };
  // Marks are read after the links, so that every mark on a link is found.
  const marks = new LinkMarks(links, await chunks.readMarks(which), DIMENSIONS.tag.missing);
  const keys = query.filters.tag;
  return { links, only: keys === undefined ? null : marks.passing(keys), marks };
}

async function readAccount(
  chunks: ChunkSource,
  ownerId: string,
  query: MarkCriteria,
): Promise<ReadQueriedLinks> {
  const keys = query.filters.tag;
  if (keys === undefined || keys.includes(DIMENSIONS.tag.missing)) {
    const { links, follower } = await chunks.readLinks(ownerId);
    const markedLinks = await readLinkMarks(chunks, { ownerId }, byId(links), query);
    return { ...markedLinks, follower: keys === undefined ? follower : null };
  }
  const marks = (await chunks.readMarks({ ownerId })).filter(({ key }) => keys.includes(key));
  const ids = marks.map(({ id }) => id);
  const links = ids.length === 0 ? [] : await chunks.readMarkedLinks({ ownerId, marks: ids });
  return { ...(await readLinkMarks(chunks, { ownerId }, byId(links), query)), follower: null };
}

function asksForMarks({ dimensions, filters }: MarkCriteria): boolean {
  return filters.tag !== undefined || dimensions.includes('tag');
}

function byId(links: readonly MarkedLink[]): ReadonlyMap<string, MarkedLink> {
  return new Map(links.map((link) => [link.id, link]));
}
