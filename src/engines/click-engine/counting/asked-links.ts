import type { ChunkSource, LinkFollower } from '../chunk-source';
import { DIMENSIONS } from '../dimensions';
import type { MarkedLink, Source, StatisticsQuery } from '../statistics-query';
import { LinkMarks } from './source-marks';

/** The links that a question is about. */
export interface AskedLinks {
  /** By their ids; there may be more. */
  readonly links: ReadonlyMap<string, MarkedLink>;
  /** Ids of those that pass; null where all do. */
  readonly only: readonly string[] | null;
  /** Null where the question is not about marks. */
  readonly marks: LinkMarks | null;
}

/** The same as they were read for the question; with a follower they are all of an account. */
export interface ReadAskedLinks extends AskedLinks {
  readonly follower: LinkFollower | null;
}

type MarkCriteria = Pick<StatisticsQuery, 'dimensions' | 'filters'>;

/** Reads them with their marks as they are now: of an account those that may pass. */
export async function readAskedLinks(
  chunks: ChunkSource,
  source: Source,
  query: MarkCriteria,
): Promise<ReadAskedLinks> {
  if ('ownerId' in source) return readAccount(chunks, source.ownerId, query);
  const ids = source.links.map(({ id }) => id);
  const found = asksForMarks(query) ? await chunks.readMarkedLinks({ ids }) : [];
  const marksById = new Map(found.map(({ id, marks }) => [id, marks]));
  const named = source.links.map((link) => ({ ...link, marks: marksById.get(link.id) ?? [] }));
  const marked = { ids: [...new Set(found.flatMap(({ marks }) => marks))] };
  return { ...(await readLinkMarks(chunks, marked, byId(named), query)), follower: null };
}

/** Links that are known already, with their marks as these are now, of an account or with these ids. */
export async function readLinkMarks(
  chunks: ChunkSource,
  which: Parameters<ChunkSource['readMarks']>[0],
  links: ReadonlyMap<string, MarkedLink>,
  query: MarkCriteria,
): Promise<AskedLinks> {
  if (!asksForMarks(query)) return { links, only: null, marks: null };
  // Read after the links, so that the marks of all of them are there.
  const marks = new LinkMarks(links, await chunks.readMarks(which), DIMENSIONS.tag.missing);
  const keys = query.filters.tag;
  return { links, only: keys === undefined ? null : marks.passing(keys), marks };
}

async function readAccount(
  chunks: ChunkSource,
  ownerId: string,
  query: MarkCriteria,
): Promise<ReadAskedLinks> {
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
