import { Injectable } from '@nestjs/common';
import type { Dimension } from './dimension';
import type { Figures, Question, Summary } from './figures';
import type { Source } from './query-runner';
import { StatisticsThread } from './statistics-thread';

/** One row of a breakdown. */
export interface FigureRow {
  label: string;
  clicks: number;
  visitors: number;
}

/** Sums of a breakdown whose rows are read page by page. */
export interface BreakdownHead {
  size: number;
  clicksSum: number;
  visitorsSum: number;
}

/** Uncut figures; `close` must be called when they are no longer read. */
export interface OpenFigures {
  summary: Summary;
  heads: Partial<Record<Dimension, BreakdownHead>>;
  rows(dimension: Dimension): AsyncGenerator<FigureRow[]>;
  close(): Promise<void>;
}

const PAGE_ROWS = 2000;

/** Exact figures about recorded clicks, counted away from the thread that answers redirects. */
@Injectable()
export class StatisticsEngine {
  constructor(private readonly thread: StatisticsThread) {}

  /** Figures with at most `rows` rows a breakdown; its sums are over all of them. */
  count(source: Source, question: Question, rows: number): Promise<Figures> {
    return this.thread.ask({ kind: 'count', source, question, rows, keep: false });
  }

  /** Figures of any size, for files. */
  async open(source: Source, question: Question): Promise<OpenFigures> {
    const { summary, breakdowns, ticket } = await this.thread.ask({
      kind: 'count',
      source,
      question,
      rows: 0,
      keep: true,
    });
    const heads = Object.fromEntries(
      Object.entries(breakdowns).map(([dimension, { size, clicksSum, visitorsSum }]) => [
        dimension,
        { size, clicksSum, visitorsSum },
      ]),
    );
    const held = ticket ?? 0;
    return {
      summary,
      heads,
      rows: (dimension) => this.pages(held, dimension),
      close: async () => {
        await this.thread.ask({ kind: 'release', ticket: held });
      },
    };
  }

  private async *pages(ticket: number, dimension: Dimension): AsyncGenerator<FigureRow[]> {
    for (let from = 0; ; from += PAGE_ROWS) {
      const request = { kind: 'rows', ticket, dimension, from, count: PAGE_ROWS } as const;
      const { labels, clicks, visitors } = await this.thread.ask(request);
      if (labels.length === 0) return;
      yield labels.map((label, i) => ({
        label,
        clicks: clicks[i] ?? 0,
        visitors: visitors[i] ?? 0,
      }));
    }
  }
}
