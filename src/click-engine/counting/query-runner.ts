import { LRUCache } from 'lru-cache';
import { Cancellation } from '../cancellation';
import { chunkTasks } from '../reading/chunk-tasks';
import {
  type AskedLinks,
  BlockGoneError,
  type ClickReader,
  keysOf,
  type TimeSpan,
} from '../reading/click-reader';
import { DIMENSIONS } from '../dimensions';
import { countingQuestion, EVERYTHING, isUnfiltered, neededColumns } from './counting-question';
import { type ShardCounts, resultOf } from './query-result';
import { MemoryExceededError, type ResidentCache } from '../resident/resident-cache';
import type { ResidentClicks } from '../resident/resident-clicks';
import type { ReadSelection, SourceChunk } from '../reading/segment-reader';
import { LinkMarks } from './source-marks';
import type { ClickStoreState } from '../chunk-source';
import { onAllShards, type Shards } from '../shards/shards';
import { shardRanges, ShardReader } from '../shards/shard-reader';
import { ShardedScan } from './sharded-scan';
import type { LinkName, Source, StatisticsQuery } from '../statistics-query';
import type { StatisticsResult } from '../statistics-result';

const MAX_QUERY_ATTEMPTS = 4;
/** Bytes of a click that is held with all columns: what a link of returning visitors takes. */
const ALL_COLUMNS_BYTES = 14;
/** The same of single columns, at the least. */
const WIDTHS: Partial<Record<string, number>> = {
  referrer: 2,
  utm_source: 1,
  utm_medium: 1,
  utm_campaign: 1,
};
const ALL_TIME: TimeSpan = { start: -Infinity, end: Infinity };
/** Sources of which it is known that they do not fit. */
const KNOWN_TOO_LARGE = 1000;

interface Question {
  readonly sourceKey: string;
  /** Ids of the links that are asked about; null where they are all of the source. */
  readonly only: readonly string[] | null;
  readonly stores: ClickStoreState[];
  readonly marks: LinkMarks | null;
  readonly query: StatisticsQuery;
  readonly cancellation: Cancellation;
}

/** Answers queries: reads what is needed and has it counted. One query after the other. */
export class QueryRunner {
  private previous: Promise<unknown> = Promise.resolve();
  private readonly scan: ShardedScan;
  /** Clicks of sources that were too many to be held with some columns. */
  private readonly tooLarge = new LRUCache<string, number>({ max: KNOWN_TOO_LARGE });

  constructor(
    private readonly reader: ClickReader,
    private readonly shards: Shards,
    private readonly cache: ResidentCache,
    private readonly scanBytes: number,
  ) {
    this.scan = new ShardedScan(reader, shards, scanBytes);
  }

  /** At most `rows` rows a breakdown; throws CancelledError once that is asked for. */
  run(
    source: Source,
    query: StatisticsQuery,
    rows = Infinity,
    cancellation = new Cancellation(),
  ): Promise<StatisticsResult> {
    return this.next(() => this.answer(source, query, rows, cancellation));
  }

  /** Does something between two queries, or before the first. */
  next<T>(work: () => Promise<T>): Promise<T> {
    const done = this.previous.then(work);
    this.previous = done.catch(() => undefined);
    return done;
  }

  private async answer(
    source: Source,
    query: StatisticsQuery,
    rows: number,
    cancellation: Cancellation,
  ): Promise<StatisticsResult> {
    cancellation.check();
    await this.cache.renew();
    const asked = await this.reader.linksOf(source, query);
    const { links } = asked;
    const sourceKey = sourceKeyOf(source);
    const marks = marksOf(asked);
    const only = query.filters.tag === undefined ? null : links.map(({ id }) => id);
    for (let attempt = 1; ; attempt += 1) {
      try {
        const stores = await this.reader.clickStoresOf(links);
        const question = { sourceKey, only, stores, marks, query, cancellation };
        const counted = await this.count(question);
        const { interner } = this.cache;
        const aliases = aliasesOf(links);
        return resultOf(query, counted, { interner, aliases, marks, rows, cancellation });
      } catch (error) {
        if (!(error instanceof BlockGoneError) || attempt === MAX_QUERY_ATTEMPTS) throw error;
      }
    }
  }

  private async count(question: Question): Promise<ShardCounts> {
    const { query, stores, sourceKey, marks } = question;
    const clicks = stores.reduce((sum, { total }) => sum + total, 0);
    const whole =
      isUnfiltered(query) && stores.every(({ from, to }) => from >= query.start && to <= query.end);
    const needed = neededColumns(query, whole);
    const isSmall = clicks * ALL_COLUMNS_BYTES <= this.cache.room;
    const selections = isSmall ? [EVERYTHING, needed] : [needed];
    const span = isSmall ? ALL_TIME : query;
    const reach = isSmall ? clicks : clicksWithin(stores, query);
    const held = this.cache.get(sourceKey);
    if (held !== undefined && (!held.covers(needed) || this.isTooWide(held, reach))) {
      this.cache.drop(sourceKey);
    }
    for (const selection of selections) {
      const key = `${sourceKey} ${JSON.stringify(selection)} ${isSmall}`;
      const isTooLarge = reach >= (this.tooLarge.get(key) ?? Infinity);
      if (isTooLarge || reach * minBytesPerClick(selection) > this.cache.room) continue;
      try {
        return await this.countResident(question, selection, span);
      } catch (error) {
        if (!(error instanceof MemoryExceededError)) throw error;
        this.cache.drop(sourceKey);
        this.tooLarge.set(key, reach);
      }
    }
    await this.cache.makeRoomFor(this.scanBytes);
    const { cancellation } = question;
    const selection = neededColumns(query, false);
    const { interner } = this.cache;
    const scanned = { stores, query, selection, interner, marks, cancellation };
    return { partials: await this.scan.count(scanned), figures: null };
  }

  /** Whether all clicks do not fit beside those held, which were read with more columns when there were fewer. */
  private isTooWide(held: ResidentClicks, clicks: number): boolean {
    const further = clicks - (held.total?.n ?? 0);
    return held.bytes + further * minBytesPerClick(held.selection) > this.cache.room;
  }

  private async countResident(
    question: Question,
    selection: ReadSelection,
    span: TimeSpan,
  ): Promise<ShardCounts> {
    const { sourceKey, only, stores, marks, query, cancellation } = question;
    if (this.cache.get(sourceKey)?.isOutdated(stores) === true) this.cache.drop(sourceKey);
    const resident = this.cache.get(sourceKey) ?? this.cache.make(sourceKey, selection);
    await this.load(resident, question, span);
    const { interner } = this.cache;
    const passingLinks = only && interner.column('link').passing(only);
    await this.removeReplaced(resident, stores, passingLinks);
    const total = resident.total;
    if (total === null) return { partials: [], figures: null };
    const inRange = total.from >= query.start && total.to <= query.end;
    const whole = inRange && isUnfiltered(query);
    if (!resident.covers(neededColumns(query, whole))) {
      // Something was recorded beyond the range while it was read.
      this.cache.drop(sourceKey);
      return this.countResident(question, neededColumns(query, false), span);
    }
    const sources = { links: resident.links, marks, passingLinks };
    const counting = countingQuestion(query, inRange, interner, sources);
    const { flag } = cancellation;
    const partials = await onAllShards(this.shards, (shard) =>
      this.shards.call(shard, 'count', {
        resident: resident.id,
        question: counting,
        cancelled: flag,
      }),
    );
    return { partials, figures: whole ? total : null };
  }

  /** Reads what the shards do not hold yet, and has them put it into order. */
  private async load(
    resident: ResidentClicks,
    { sourceKey, stores, cancellation }: Question,
    span: TimeSpan,
  ): Promise<void> {
    const chunks = this.reader.unknown(stores, span, resident);
    const tasks = chunkTasks(chunks, this.cache.interner.column('link'), resident);
    const reading = {
      selection: resident.selection,
      ranges: shardRanges(this.shards),
      to: { resident: resident.id },
      onFigures: resident.note.bind(resident),
      onTaken: (shard: number, bytes: number) => {
        resident.bytesByShard[shard] = bytes;
      },
    };
    const makeRoom = () => this.cache.makeRoom(sourceKey);
    const bounded = async function* (): AsyncGenerator<SourceChunk[]> {
      for await (const batch of tasks) {
        await makeRoom();
        yield batch;
      }
    };
    const reader = new ShardReader(this.shards, this.cache.interner);
    try {
      await reader.read(bounded(), reading, cancellation);
    } catch (error) {
      if (reader.isBroken) this.cache.drop(sourceKey);
      else resident.forgetUnread();
      throw error;
    }
    await onAllShards(this.shards, async (shard) => {
      const bytes = await this.shards.call(shard, 'mergeTaken', { resident: resident.id });
      resident.bytesByShard[shard] = bytes;
    });
    await makeRoom();
  }

  /** Compaction has replaced blocks and inline chunks by others, which were read by now. */
  private async removeReplaced(
    resident: ResidentClicks,
    stores: readonly ClickStoreState[],
    asked: Uint8Array | null,
  ): Promise<void> {
    const replaced = resident.replaced(new Set(stores.flatMap(keysOf)), asked);
    if (replaced === null) return;
    await onAllShards(this.shards, async (shard) => {
      const bytes = await this.shards.call(shard, 'keep', { resident: resident.id, ...replaced });
      resident.bytesByShard[shard] = bytes;
    });
    resident.keep(replaced);
  }
}

function marksOf(asked: AskedLinks): LinkMarks | null {
  return asked.labels === null ? null : new LinkMarks(asked, DIMENSIONS.tag.missing);
}

function minBytesPerClick({ at, redirectMs, values }: ReadSelection): number {
  const columns = values.reduce((sum, name) => sum + (WIDTHS[name] ?? 0), 0);
  return 1 + (at ? 4 : 0) + (redirectMs ? 1 : 0) + columns;
}

function clicksWithin(stores: readonly ClickStoreState[], { start, end }: TimeSpan): number {
  let clicks = 0;
  for (const { blocks, inlineChunks } of stores) {
    for (const { n, from, to } of blocks) if (to >= start && from <= end) clicks += n;
    for (const n of inlineChunks.n) clicks += n;
  }
  return clicks;
}

function aliasesOf(links: readonly LinkName[]): ReadonlyMap<string, string> {
  return new Map(links.map(({ id, alias }) => [id, alias]));
}

/** The key under which memory holds the clicks of a source. */
function sourceKeyOf(source: Source): string {
  if ('links' in source) return source.links.map(({ id }) => id).join();
  return source.ownerId;
}
