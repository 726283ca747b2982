import { LRUCache } from 'lru-cache';
import { Cancellation } from './cancellation';
import {
  BlockGoneError,
  type ClickReader,
  type HeldChunks,
  type KeyedChunks,
  keysOf,
  type TimeSpan,
} from './click-reader';
import {
  countingQuestion,
  type CountingQuestion,
  EVERYTHING,
  isWhole,
  neededColumns,
  type PartialCount,
} from './counting-question';
import { type Counted, resultOf } from './query-result';
import { MemoryExceededError, type ResidentCache } from './resident-cache';
import type { ResidentClicks } from './resident-clicks';
import { type VisitorRange, visitorRanges } from './segment';
import type { ReadSelection, StoredChunk } from './segment-reader';
import type { ClickStoreState } from '../../clicks/store/stored-clicks.repository';
import type { Shards } from './shard-pool';
import { shardRanges, ShardReader } from './shard-reader';
import type { LinkName, Source, StatisticsQuery } from './statistics-query';
import type { StatisticsResult } from './statistics-result';

const ATTEMPTS = 4;
/** Bytes of a click that is held with all columns: what a link of returning visitors takes. */
const ALL_COLUMNS_BYTES = 14;
/** The same of single columns, at the least. */
const WIDTHS: Partial<Record<string, number>> = {
  referrer: 2,
  utm_source: 1,
  utm_medium: 1,
  utm_campaign: 1,
};
/** Ranges into which a shard cuts its visitors for a scan, to give up some where memory is short. */
const RANGES_A_SHARD = 8;
const ALL_TIME: TimeSpan = { start: -Infinity, end: Infinity };
const MEGABYTE = 1024 * 1024;
/** The rest is what is on its way, and what the program itself takes. */
const HELD_SHARE = 0.85;
/** Of that what is known of click stores without their clicks. */
const STATES_SHARE = 1 / 16;
/** One result alone may take more. */
const RESULTS_SHARE = 0.25;
/** Of a scan, while which nothing else is needed but what is held already. */
const SCAN_SHARE = 0.7;
/** So many clicks make a task of their own; small chunks are read together. */
const CLICKS_A_TASK = 100_000;
/** Sources of which it is known that they do not fit. */
const KNOWN_TOO_LARGE = 1000;

/**
 * How much what is held may take, of that the states of click stores and results for files, and what
 * a scan has to remember.
 */
export function memoryOf(memoryMb: number) {
  const bytes = memoryMb * MEGABYTE;
  return {
    heldBytes: bytes * HELD_SHARE,
    stateBytes: bytes * STATES_SHARE,
    resultBytes: bytes * RESULTS_SHARE,
    scanBytes: bytes * SCAN_SHARE,
  };
}

interface Question {
  readonly sourceKey: string;
  readonly stores: ClickStoreState[];
  readonly query: StatisticsQuery;
  readonly cancellation: Cancellation;
}

/** Answers queries: reads what is needed and has it counted. One query after the other. */
export class QueryRunner {
  private previous: Promise<unknown> = Promise.resolve();
  private scans = 0;
  /** Clicks of sources that were too many to be held with some columns. */
  private readonly tooLarge = new LRUCache<string, number>({ max: KNOWN_TOO_LARGE });

  constructor(
    private readonly reader: ClickReader,
    private readonly shards: Shards,
    private readonly cache: ResidentCache,
    private readonly scanBytes: number,
  ) {}

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
    const links = 'links' in source ? source.links : await this.reader.linksOf(source.ownerId);
    const sourceKey = sourceKeyOf(source);
    for (let attempt = 1; ; attempt += 1) {
      try {
        const stores = await this.reader.clickStoresOf(links);
        const counted = await this.count({ sourceKey, stores, query, cancellation });
        const { interner } = this.cache;
        const aliases = aliasesOf(links);
        return resultOf(query, counted, { interner, aliases, rows, cancellation });
      } catch (error) {
        if (!(error instanceof BlockGoneError) || attempt === ATTEMPTS) throw error;
      }
    }
  }

  private async count(question: Question): Promise<Counted> {
    const { query, stores, sourceKey } = question;
    const clicks = stores.reduce((sum, { total }) => sum + total, 0);
    const whole =
      isWhole(query) && stores.every(({ from, to }) => from >= query.start && to <= query.end);
    const needed = neededColumns(query, whole);
    const isSmall = clicks * ALL_COLUMNS_BYTES <= this.cache.room;
    const held = this.cache.get(sourceKey);
    if (held !== undefined && !held.covers(needed)) this.cache.drop(sourceKey);
    const selections = isSmall ? [EVERYTHING, needed] : [needed];
    const span = isSmall ? ALL_TIME : query;
    const reach = isSmall ? clicks : clicksWithin(stores, query);
    for (const selection of selections) {
      const key = `${sourceKey} ${JSON.stringify(selection)} ${isSmall}`;
      const isTooLarge = reach >= (this.tooLarge.get(key) ?? Infinity);
      if (isTooLarge || reach * leastBytes(selection) > this.cache.room) continue;
      try {
        return await this.countResident(question, selection, span);
      } catch (error) {
        if (!(error instanceof MemoryExceededError)) throw error;
        this.cache.drop(sourceKey);
        this.tooLarge.set(key, reach);
      }
    }
    await this.cache.makeRoomFor(this.scanBytes);
    return this.scan(question, neededColumns(query, false));
  }

  private async countResident(
    question: Question,
    selection: ReadSelection,
    span: TimeSpan,
  ): Promise<Counted> {
    const { sourceKey, stores, query, cancellation } = question;
    if (this.cache.get(sourceKey)?.isOutdated(stores) === true) this.cache.drop(sourceKey);
    const resident = this.cache.get(sourceKey) ?? this.cache.make(sourceKey, selection);
    await this.load(resident, question, span);
    await this.removeReplaced(resident, stores);
    const total = resident.total;
    if (total === null) return { partials: [], figures: null };
    const inRange = total.from >= query.start && total.to <= query.end;
    const whole = inRange && isWhole(query);
    if (!resident.covers(neededColumns(query, whole))) {
      // Something was recorded beyond the range while it was read.
      this.cache.drop(sourceKey);
      return this.countResident(question, neededColumns(query, false), span);
    }
    const counting = countingQuestion(query, inRange, this.cache.interner, resident.links);
    const { flag } = cancellation;
    const partials = await this.all((shard) =>
      this.shards.call(shard, 'count', {
        resident: resident.id,
        question: counting,
        cancelled: flag,
      }),
    );
    return { partials, figures: whole ? total : null };
  }

  /** Reads what the shards do not hold yet. */
  private async load(
    resident: ResidentClicks,
    { sourceKey, stores, cancellation }: Question,
    span: TimeSpan,
  ): Promise<void> {
    const taken = { any: false };
    const chunks = this.chunks(stores, span, resident);
    const reading = {
      selection: resident.selection,
      ranges: shardRanges(this.shards),
      to: { resident: resident.id },
      onFigures: resident.note.bind(resident),
      onTaken: (shard: number, bytes: number) => {
        taken.any = true;
        resident.bytesByShard[shard] = bytes;
      },
    };
    const makeRoom = () => this.cache.makeRoom(sourceKey);
    const bounded = async function* (): AsyncGenerator<StoredChunk[]> {
      for await (const batch of chunks) {
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
    if (!taken.any) return;
    await this.all(async (shard) => {
      const bytes = await this.shards.call(shard, 'settle', { resident: resident.id });
      resident.bytesByShard[shard] = bytes;
    });
    await makeRoom();
  }

  /** Compaction has replaced blocks and inline chunks by others, which were read by now. */
  private async removeReplaced(
    resident: ResidentClicks,
    stores: readonly ClickStoreState[],
  ): Promise<void> {
    const replaced = resident.replaced(new Set(stores.flatMap(keysOf)));
    if (replaced === null) return;
    await this.all(async (shard) => {
      const bytes = await this.shards.call(shard, 'keep', { resident: resident.id, ...replaced });
      resident.bytesByShard[shard] = bytes;
    });
    resident.keep(replaced);
  }

  /** Chunks that are not held yet, in tasks of some megabytes or less. */
  private async *chunks(
    stores: ClickStoreState[],
    span: TimeSpan,
    held: HeldChunks & Pick<ResidentClicks, 'number'>,
  ): AsyncGenerator<StoredChunk[]> {
    const links = this.cache.interner.of('link');
    for await (const batch of this.reader.unknown(stores, span, held)) {
      let task: StoredChunk[] = [];
      let clicks = 0;
      for (const keyed of batch) {
        const source = held.number(keyed, links.intern(keyed.linkId));
        for (const chunk of keyed.chunks) {
          task.push({ source, ...chunk });
          clicks += chunk.n;
        }
        if (clicks < CLICKS_A_TASK) continue;
        yield task;
        task = [];
        clicks = 0;
      }
      if (task.length > 0) yield task;
    }
  }

  /**
   * Counts what is read without keeping it. No visitor is in two ranges, so what they add up to is
   * exact; the ranges for which there was no memory are counted by another pass.
   */
  private async scan(
    { stores, query, cancellation }: Question,
    selection: ReadSelection,
  ): Promise<Counted> {
    const partials: PartialCount[] = [];
    let pending = shardRanges(this.shards).map((range) => visitorRanges(RANGES_A_SHARD, range));
    const limit = this.scanBytes / this.shards.count;
    while (pending.some((ranges) => ranges.length > 0)) {
      this.scans += 1;
      const ended = await this.pass({
        scan: this.scans,
        stores,
        query,
        cancellation,
        selection,
        pending,
        limit,
      });
      for (const { counts } of ended) partials.push(...counts);
      pending = ended.map((shard) => shard.pending);
    }
    return { partials, figures: null };
  }

  private async pass(pass: {
    scan: number;
    stores: ClickStoreState[];
    query: StatisticsQuery;
    cancellation: Cancellation;
    selection: ReadSelection;
    pending: VisitorRange[][];
    limit: number;
  }): Promise<{ counts: readonly PartialCount[]; pending: VisitorRange[] }[]> {
    const { scan, stores, query, cancellation, selection, pending, limit } = pass;
    const sources = new ScannedSources();
    const cancelled = cancellation.flag;
    const question = (): CountingQuestion =>
      countingQuestion(query, false, this.cache.interner, Uint32Array.from(sources.links));
    await this.all((shard) => {
      const ranges = pending[shard] ?? [];
      const request = { scan, question: question(), ranges, limit, cancelled };
      return this.shards.call(shard, 'beginScan', request);
    });
    try {
      const reading = {
        selection,
        ranges: shardRanges(this.shards),
        to: { scan },
        onFigures: () => undefined,
        onTaken: () => undefined,
        question,
      };
      const chunks = this.chunks(stores, query, sources);
      await new ShardReader(this.shards, this.cache.interner).read(chunks, reading, cancellation);
    } catch (error) {
      await this.all((shard) => this.shards.call(shard, 'endScan', { scan })).catch(
        () => undefined,
      );
      throw error;
    }
    return this.all((shard) => this.shards.call(shard, 'endScan', { scan }));
  }

  private all<T>(call: (shard: number) => Promise<T>): Promise<T[]> {
    return Promise.all(Array.from({ length: this.shards.count }, (_, shard) => call(shard)));
  }
}

/** Sources of a scan: nothing of them is held. */
class ScannedSources implements HeldChunks {
  readonly links: number[] = [];

  hasBlock(): boolean {
    return false;
  }

  inlineOf(): number {
    return 0;
  }

  number(_: KeyedChunks, link: number): number {
    return this.links.push(link) - 1;
  }
}

function leastBytes({ at, redirectMs, values }: ReadSelection): number {
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
