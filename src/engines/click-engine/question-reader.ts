import type { LoadProgress } from './counting/load-progress';
import { type QueriedLinks, readLinkMarks, readQueriedLinks } from './counting/queried-links';
import type { ClickStoreState, LinkChanges, LinkFollower } from './query/chunk-source';
import type { Cancellation, LinkName, Source, StatisticsQuery } from './query/statistics-query';
import type { ClickReader } from './reading/click-reader';
import type { ResidentCache } from './resident/resident-cache';

export interface Question extends QueriedLinks {
  readonly sourceKey: string;
  readonly stores: ClickStoreState[];
  /** IDs of the links whose stores were read; null if all the source's stores were. */
  readonly read: readonly string[] | null;
  /** Changes since the cached state; then `stores` contains only changed stores. */
  readonly changes: LinkChanges | null;
  /** Null unless `stores` contains the stores of all the account's links. */
  readonly follower: LinkFollower | null;
  readonly query: StatisticsQuery;
  readonly cancellation: Cancellation;
}

type QueryContext = Pick<Question, 'sourceKey' | 'query' | 'cancellation'>;

/** Reads the links and the states of the click stores that a query concerns. */
export class QuestionReader {
  constructor(
    private readonly reader: ClickReader,
    private readonly cache: ResidentCache,
  ) {}

  async read(
    source: Source,
    query: Omit<QueryContext, 'sourceKey'>,
    progress: LoadProgress | null,
  ): Promise<Question> {
    const asking = { ...query, sourceKey: toSourceKey(source) };
    return (await this.followed(source, asking)) ?? this.readAll(source, asking, progress);
  }

  private async readAll(
    source: Source,
    asking: QueryContext,
    progress: LoadProgress | null,
  ): Promise<Question> {
    const queriedLinks = await readQueriedLinks(this.reader.repository, source, asking.query);
    const ids = queriedLinks.only ?? [...queriedLinks.links.keys()];
    progress?.beginStores(ids.length);
    const read = await this.reader.readClickStores(ids, (count) => progress?.addStores(count));
    const stores = currentStores(read, queriedLinks.links);
    return { ...asking, ...queriedLinks, stores, read: queriedLinks.only, changes: null };
  }

  /** Reads changes since the last query; null unless all of the account's clicks are cached. */
  private async followed(source: Source, asking: QueryContext): Promise<Question | null> {
    const held = this.cache.get(asking.sourceKey);
    if (!('ownerId' in source) || held?.heldLinks == null) return null;
    const changes = await held.heldLinks.readChanges();
    if (changes === null) return null;
    const changed = changes.links.map(({ id }) => id);
    const links = new Map(changes.links.map((link) => [link.id, link]));
    const stores = currentStores(await this.reader.readChangedStores(changed), links);
    held.heldLinks.takeLinks(changes.links, stores);
    const { repository } = this.reader;
    const queriedLinks = await readLinkMarks(repository, source, held.heldLinks.byId, asking.query);
    const read = [...changed, ...changes.gone];
    return { ...asking, ...queriedLinks, stores, read, changes, follower: null };
  }
}

/** Omits stores whose clicks were deleted, although the stores have not been changed yet. */
function currentStores(
  stores: ClickStoreState[],
  links: ReadonlyMap<string, LinkName>,
): ClickStoreState[] {
  return stores.filter(({ linkId, since = 0 }) => since >= (links.get(linkId)?.since ?? 0));
}

function toSourceKey(source: Source): string {
  if ('links' in source) return source.links.map(({ id }) => id).join();
  return source.ownerId;
}
