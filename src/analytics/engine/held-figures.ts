import type { Dimension } from './dimension';
import type { CutFigures, EngineAnswers } from './engine-messages';
import type { Breakdown, Figures } from './figures';

/** Exports under way at one time; one more ends the oldest. */
const MOST_HELD = 32;

/** Uncut figures that exports read page by page, so that no message is large. */
export class HeldFigures {
  private readonly held = new Map<number, Figures>();
  private tickets = 0;

  /** The figures with at most `rows` rows a breakdown; kept whole under a ticket if wished. */
  cut(figures: Figures, rows: number, keep: boolean): CutFigures {
    const breakdowns = Object.fromEntries(
      Object.entries(figures.breakdowns).map(([dimension, breakdown]) => [
        dimension,
        { ...breakdown, ...slice(breakdown, 0, rows) },
      ]),
    );
    return { summary: figures.summary, breakdowns, ticket: keep ? this.hold(figures) : null };
  }

  rows(ticket: number, dimension: Dimension, from: number, count: number): EngineAnswers['rows'] {
    const breakdown = this.held.get(ticket)?.breakdowns[dimension];
    if (breakdown === undefined) throw new Error('These figures are no longer held');
    return slice(breakdown, from, count);
  }

  release(ticket: number): void {
    this.held.delete(ticket);
  }

  private hold(figures: Figures): number {
    const [oldest] = this.held.keys();
    if (this.held.size >= MOST_HELD && oldest !== undefined) this.held.delete(oldest);
    this.tickets += 1;
    this.held.set(this.tickets, figures);
    return this.tickets;
  }
}

function slice(breakdown: Breakdown, from: number, count: number): EngineAnswers['rows'] {
  return {
    labels: breakdown.labels.slice(from, from + count),
    clicks: breakdown.clicks.slice(from, from + count),
    visitors: breakdown.visitors.slice(from, from + count),
  };
}
