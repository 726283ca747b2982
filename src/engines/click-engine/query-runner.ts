import { LRUCache } from 'lru-cache';
import { chunkTasks } from './reading/chunk-tasks';
import { type ClickReader, clickStoreKeys, type TimeSpan } from './reading/click-reader';
import { BlockGoneError, MemoryExceededError, MemoryNeededError } from './chunk/engine.errors';
import {
  countingQuestion,
  EVERYTHING,
  isUnfiltered,
  neededColumns,
} from './counting/counting-question';
import { LoadProgress } from './counting/load-progress';
import { type ShardCounts, buildResult } from './counting/query-result';
import { type ResidentCache } from './resident/resident-cache';
import type { ResidentClicks } from './resident/resident-clicks';
import type { ReadSelection, SourceChunk } from './reading/segment-reader';
import { HeldLinks } from './resident/held-links';
import type { ClickStoreState } from './query/chunk-source';
import { type Question, QuestionReader } from './question-reader';
import { onAllShards, type Shards } from './shards/statistics-shard';
import { shardRanges, ShardReader } from './shards/shard-reader';
import {
  Cancellation,
  type Source,
  type StatisticsQuery,
  type StatisticsResult,
} from './query/statistics-query';

const MAX_QUERY_ATTEMPTS = 4;
/** Bytes per click with all columns, measured on links with returning visitors. */
const ALL_COLUMNS_BYTES = 14;
const WIDTHS: Partial<Record<string, number>> = {
  referrer: 2,
  utm_source: 1,
  utm_medium: 1,
  utm_campaign: 1,
};
/** Unsorted clicks take more memory than sorted clicks. */
const MARGIN = 1.25;
const UNBOUNDED_SPAN: TimeSpan = { start: -Infinity, end: Infinity };
const KNOWN_TOO_LARGE = 1000;

interface TooLarge {
  readonly clicks: number;
  readonly bytesPerClick: number;
}

/** Runs one query at a time: loads clicks that are not in memory, then counts. */
export class QueryRunner {
  private previous: Promise<unknown> = Promise.resolve();
  private readonly tooLarge = new LRUCache<string, TooLarge>({ max: KNOWN_TOO_LARGE });
  private readonly questions: QuestionReader;
  private progress: LoadProgress | null = null;

  constructor(
    private readonly reader: ClickReader,
    private readonly shards: Shards,
    private readonly cache: ResidentCache,
    private readonly heldShare = 1,
  ) {
    this.questions = new QuestionReader(reader, cache);
  }

  /** Null unless the current query is reading clicks. */
  get loading(): LoadProgress | null {
    return this.progress;
  }

  /** @throws CancelledError, or MemoryNeededError if the clicks exceed the memory limit */
  run(
    source: Source,
    query: StatisticsQuery,
    rows = Infinity,
    cancellation = new Cancellation(),
  ): Promise<StatisticsResult> {
    const done = this.previous.then(() => this.answer(source, query, rows, cancellation));
    this.previous = done.catch(() => undefined).then(() => (this.progress = null));
    return done;
  }

  private async answer(
    source: Source,
    query: StatisticsQuery,
    rows: number,
    cancellation: Cancellation,
  ): Promise<StatisticsResult> {
    cancellation.check();
    this.progress = new LoadProgress();
    await this.cache.renew();
    for (let attempt = 1; ; attempt += 1) {
      try {
        const question = await this.questions.read(source, { query, cancellation }, this.progress);
        const counted = await this.count(question);
        const { interner } = this.cache;
        return buildResult(query, counted, { ...question, interner, rows });
      } catch (error) {
        if (!(error instanceof BlockGoneError) || attempt === MAX_QUERY_ATTEMPTS) throw error;
      }
    }
  }

  private async count(question: Question): Promise<ShardCounts> {
    const { query, stores, sourceKey } = question;
    if (question.changes !== null) return this.countFollowed(question);
    const clicks = stores.reduce((sum, { total }) => sum + total, 0);
    const whole =
      isUnfiltered(query) && stores.every(({ from, to }) => from >= query.start && to <= query.end);
    const needed = neededColumns(query, whole);
    const isSmall = clicks * ALL_COLUMNS_BYTES <= this.cache.room;
    const selections = isSmall ? [EVERYTHING, needed] : [needed];
    const span = isSmall ? UNBOUNDED_SPAN : query;
    const reach = isSmall ? clicks : clicksWithin(stores, query);
    const held = this.cache.get(sourceKey);
    if (held !== undefined && (!held.covers(needed) || this.isTooWide(held, reach))) {
      this.cache.drop(sourceKey);
    }
    let bytes = Infinity;
    for (const selection of selections) {
      const key = `${sourceKey} ${JSON.stringify(selection)} ${isSmall}`;
      const known = this.tooLarge.get(key);
      const least = minBytesPerClick(selection);
      bytes = reach * (known?.bytesPerClick ?? Math.max(least, ALL_COLUMNS_BYTES));
      if (reach >= (known?.clicks ?? Infinity) || reach * least > this.cache.room) continue;
      try {
        return await this.countResident(question, selection, span);
      } catch (error) {
        if (!(error instanceof MemoryExceededError)) throw error;
        const bytesPerClick = estimateClickBytes(this.cache.get(sourceKey));
        this.cache.drop(sourceKey);
        this.tooLarge.set(key, { clicks: reach, bytesPerClick });
        bytes = reach * bytesPerClick;
      }
    }
    const others = this.cache.limit - this.cache.room;
    throw new MemoryNeededError(Math.ceil((bytes * MARGIN + others) / this.heldShare));
  }

  private async countFollowed(question: Question): Promise<ShardCounts> {
    try {
      return await this.countResident(question, EVERYTHING, UNBOUNDED_SPAN);
    } catch (error) {
      if (!(error instanceof MemoryExceededError)) throw error;
      this.cache.drop(question.sourceKey);
      throw new BlockGoneError();
    }
  }

  /** Whether new clicks exceed the memory limit; the columns were chosen when there were fewer. */
  private isTooWide(held: ResidentClicks, clicks: number): boolean {
    const further = clicks - (held.total?.n ?? 0);
    return held.bytes + further * minBytesPerClick(held.selection) > this.cache.room;
  }

  private async countResident(
    question: Question,
    selection: ReadSelection,
    span: TimeSpan,
  ): Promise<ShardCounts> {
    const { sourceKey, only, stores, read, changes, marks, query, cancellation } = question;
    if (this.cache.get(sourceKey)?.isOutdated(stores) === true) this.cache.drop(sourceKey);
    const known = this.cache.get(sourceKey);
    if (known === undefined && changes !== null) throw new BlockGoneError();
    const resident = known ?? this.cache.make(sourceKey, selection);
    this.progress?.begin(clicksWithin(stores, span), () => resident.total?.n ?? 0);
    await this.load(resident, question, span);
    const { interner } = this.cache;
    const links = interner.column('link');
    await this.removeReplaced(resident, stores, read && links.passing(read));
    if (changes !== null) resident.heldLinks?.follow(changes);
    else if (span === UNBOUNDED_SPAN) await this.follow(resident, question);
    this.progress = null;
    const total = resident.total;
    if (total === null) return { partials: [], figures: null };
    const inRange = total.from >= query.start && total.to <= query.end;
    const whole = inRange && isUnfiltered(query);
    if (!resident.covers(neededColumns(query, whole))) {
      // A click outside the range was recorded during the read, so more columns are needed.
      this.cache.drop(sourceKey);
      return this.countResident(question, neededColumns(query, false), span);
    }
    const passingLinks = only && links.passing(only);
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
      resident: resident.id,
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

  /** Once all of an account's clicks are cached, the next query needs to read only changes. */
  private async follow(
    resident: ResidentClicks,
    { sourceKey, links, stores, follower }: Question,
  ): Promise<void> {
    if (follower === null) return;
    const heldLinks = new HeldLinks(follower);
    heldLinks.takeLinks(links.values(), stores);
    resident.heldLinks = heldLinks;
    await this.cache.makeRoom(sourceKey);
  }

  /** Drops sources that compaction has replaced; their replacements are already loaded. */
  private async removeReplaced(
    resident: ResidentClicks,
    stores: readonly ClickStoreState[],
    read: Uint8Array | null,
  ): Promise<void> {
    if (stores.length === 0 && read?.includes(1) === false) return;
    const replaced = resident.replaced(new Set(stores.flatMap(clickStoreKeys)), read);
    if (replaced === null) return;
    await onAllShards(this.shards, async (shard) => {
      const bytes = await this.shards.call(shard, 'keep', { resident: resident.id, ...replaced });
      resident.bytesByShard[shard] = bytes;
    });
    resident.keep(replaced);
  }
}

function minBytesPerClick({ at, redirectMs, values }: ReadSelection): number {
  const columns = values.reduce((sum, name) => sum + (WIDTHS[name] ?? 0), 0);
  return 1 + (at ? 4 : 0) + (redirectMs ? 1 : 0) + columns;
}

function estimateClickBytes(held: ResidentClicks | undefined): number {
  const clicks = held?.total?.n ?? 0;
  return held === undefined || clicks === 0 ? ALL_COLUMNS_BYTES : held.bytes / clicks;
}

function clicksWithin(stores: readonly ClickStoreState[], { start, end }: TimeSpan): number {
  let clicks = 0;
  for (const { blocks, inlineChunks } of stores) {
    for (const { n, from, to } of blocks) if (to >= start && from <= end) clicks += n;
    for (const n of inlineChunks.n) clicks += n;
  }
  return clicks;
}
