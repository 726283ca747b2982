import { Counting } from './counting';
import type { Figures, Question } from './figures';
import { BlockGoneError, type History } from './history';
import type { HistoryRepository } from './history.repository';
import type { LedgerState, LinkName } from './ledger-state';
import type { Overview } from './overview';
import type { Segment } from './segment';
import type { SegmentCache } from './segment-cache';
import { partOf, visitorRanges } from './visitor-range';

/** Whose clicks: the named links, or those of an account (maybe only some aliases of it). */
export type Source =
  { links: readonly LinkName[] } | { ownerId: string; aliases: readonly string[] | null };

const ATTEMPTS = 4;
/** More clicks than this are counted one range of visitors after the other. */
const CLICKS_AT_ONCE = 4_000_000;

/** Answers questions: reads what is needed and counts it. One question after the other. */
export class QueryRunner {
  private previous: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly repository: HistoryRepository,
    private readonly history: History,
    private readonly cache: SegmentCache,
    private readonly overview: Overview,
    private readonly clicksAtOnce = CLICKS_AT_ONCE,
  ) {}

  run(source: Source, question: Question): Promise<Figures> {
    const answer = this.previous.then(() => this.answer(source, question));
    this.previous = answer.catch(() => undefined);
    return answer;
  }

  private async answer(source: Source, question: Question): Promise<Figures> {
    if (this.cache.renew()) this.overview.clear();
    const links =
      'links' in source
        ? source.links
        : await this.repository.linksOf(source.ownerId, source.aliases);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.count(subjectOf(source), links, question);
      } catch (error) {
        if (!(error instanceof BlockGoneError) || attempt === ATTEMPTS) throw error;
      }
    }
  }

  private async count(
    subject: string,
    links: readonly LinkName[],
    question: Question,
  ): Promise<Figures> {
    const ledgers = await this.history.ledgersOf(links, this.overview.heldKeys(subject));
    const aliases = new Map(links.map(({ id, alias }) => [id, alias]));
    const counting = new Counting(question, this.cache.vocabulary, aliases);
    const clicks = ledgers.reduce((sum, { total }) => sum + total, 0);
    if (clicks <= this.clicksAtOnce) {
      counting.add(await this.overview.segments(subject, ledgers, question));
    } else await this.countInRanges(counting, ledgers, question, clicks);
    return counting.figures();
  }

  /** No visitor is in two ranges, so what they add up to is exact, in bounded memory. */
  private async countInRanges(
    counting: Counting,
    ledgers: readonly LedgerState[],
    question: Question,
    clicks: number,
  ): Promise<void> {
    for (const range of visitorRanges(Math.ceil(clicks / this.clicksAtOnce))) {
      const parts: Segment[] = [];
      for await (const { segment } of this.history.segmentsOf(ledgers, question)) {
        const part = partOf(segment, range);
        if (part !== null) parts.push(part);
      }
      counting.add(parts);
    }
  }
}

/** What the memory of a source goes by. */
function subjectOf(source: Source): string {
  if ('links' in source) return source.links.map(({ id }) => id).join();
  return [source.ownerId, ...(source.aliases ?? [])].join(' ');
}
