import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { AnswerCache } from './answer-cache';
import type { Dimension } from '../dimensions';
import { StatisticsBusyError } from './statistics-thread';
import type { BreakdownHead } from './engine-messages';
import type { CountedFigures, StatisticsQuestion, Summary } from './statistics-result';
import { type StatisticsClient, QuestionQueue } from './question-queue';
import type { Source } from './query-runner';
import { StatisticsThread } from './statistics-thread';

/** One row of a breakdown. */
export interface ResultRow {
  label: string;
  clicks: number;
  visitors: number;
}

/** Uncut figures; `close` must be called when they are no longer read. */
export interface OpenResult {
  summary: Summary;
  heads: Partial<Record<Dimension, BreakdownHead>>;
  rows(dimension: Dimension): AsyncGenerator<ResultRow[]>;
  close(): Promise<void>;
}

/** Who asks, and what is known of the question before it is counted. */
export interface Asking {
  asker: StatisticsClient;
  /**
   * The question in the words of who asked: two with one text are the same although `now` is
   * another moment for each. Null for one that is equal to nothing.
   */
  words: string | null;
  /** Clicks that the link is known to have; null where no single link is asked about. */
  clicks: number | null;
  /** Anybody may ask it, so its answer is kept for some seconds. */
  isPublic: boolean;
}

/** Small enough that writing a page of any format holds the web thread for a few milliseconds. */
const PAGE_ROWS = 500;
/** Rows of an answer that is no file (docs/contract.md#9.3 and docs/contract.md#13.3). */
export const MOST_ROWS = 1000;
/** Links with more clicks than this are asked about in turn with the others. */
const LARGE = 100_000;
/** Files of one client that are written at one time. */
const FILES_OF_CLIENT = 4;

const ALONE: Asking = {
  asker: { client: '' },
  words: null,
  clicks: null,
  isPublic: false,
};

/**
 * Exact figures about recorded clicks, counted away from the thread that answers redirects. Its
 * queue is bounded, see QuestionQueue; what is beyond its bounds is StatisticsBusyError.
 */
@Injectable()
export class StatisticsEngine {
  private readonly queue = new QuestionQueue();
  private readonly answers = new AnswerCache();
  private readonly files = new Map<string, number>();

  constructor(private readonly thread: StatisticsThread) {}

  /** Figures with at most `rows` rows a breakdown; its sums are over all of them. */
  async count(
    source: Source,
    question: StatisticsQuestion,
    rows: number,
    asking = ALONE,
  ): Promise<CountedFigures> {
    const key = keyOf(source, question, rows, asking.words);
    const revision = asking.clicks ?? 0;
    const kept = asking.isPublic && key !== null ? this.answers.get(key, revision) : null;
    if (kept !== null) return kept;
    return this.queue.ask(asking.asker, {
      key: key === null ? null : `${revision} ${key}`,
      large: isLarge(asking),
      run: async (signal) => {
        const begun = performance.now();
        const figures = await this.thread.ask({ kind: 'count', source, question, rows }, signal);
        const { start, end } = question;
        const counted = { ...figures, range: { start, end } };
        if (asking.isPublic && key !== null) {
          this.answers.put(key, revision, counted, performance.now() - begun);
        }
        return counted;
      },
    });
  }

  /** Figures of any size, for files. */
  async open(source: Source, question: StatisticsQuestion, asking = ALONE): Promise<OpenResult> {
    const { client } = asking.asker;
    const files = this.files.get(client) ?? 0;
    if (files >= FILES_OF_CLIENT) throw new StatisticsBusyError();
    this.files.set(client, files + 1);
    try {
      const { cursorId, summary, heads } = await this.queue.ask(asking.asker, {
        key: null,
        large: isLarge(asking),
        run: (signal) => this.opened(source, question, signal),
      });
      return {
        summary,
        heads,
        rows: (dimension) => this.pages(cursorId, dimension),
        close: async () => {
          this.fileDone(client);
          await this.thread.ask({ kind: 'release', cursorId });
        },
      };
    } catch (error) {
      this.fileDone(client);
      throw error;
    }
  }

  /** What is held for somebody who has gone meanwhile is let go of at once. */
  private async opened(source: Source, question: StatisticsQuestion, signal: AbortSignal) {
    const opened = await this.thread.ask({ kind: 'open', source, question }, signal);
    if (signal.aborted) await this.thread.ask({ kind: 'release', cursorId: opened.cursorId });
    return opened;
  }

  private fileDone(client: string): void {
    const left = (this.files.get(client) ?? 1) - 1;
    if (left === 0) this.files.delete(client);
    else this.files.set(client, left);
  }

  private async *pages(cursorId: number, dimension: Dimension): AsyncGenerator<ResultRow[]> {
    for (let from = 0; ;) {
      const request = { kind: 'rows', cursorId, dimension, from, count: PAGE_ROWS } as const;
      const { labels, clicks, visitors } = await this.thread.ask(request);
      if (labels.length === 0) return;
      from += labels.length;
      yield labels.map((label, i) => ({
        label,
        clicks: clicks[i] ?? 0,
        visitors: visitors[i] ?? 0,
      }));
    }
  }
}

function isLarge({ clicks }: Asking): boolean {
  return clicks === null || clicks > LARGE;
}

/** A short text that two questions share when they ask the same in the same words. */
function keyOf(
  source: Source,
  { dimensions, underscored }: StatisticsQuestion,
  rows: number,
  words: string | null,
): string | null {
  if (words === null) return null;
  const text = JSON.stringify([source, dimensions, underscored ?? null, rows, words]);
  return createHash('sha256').update(text).digest('base64');
}
