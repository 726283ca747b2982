import type { Summary } from './statistics-result';
import type { Segment } from './segment';
import type { StringInterner } from './string-interner';

/** Totals over segments; also which click is the last, whatever the order they come in. */
export class SummaryCounter {
  private clicks = 0;
  private redirectMs = 0;
  private first = Infinity;
  private last: { segment: Segment; row: number; at: number } | null = null;

  add(segments: readonly Segment[]): void {
    for (const segment of segments) {
      this.clicks += segment.n;
      this.first = Math.min(this.first, segment.from);
      for (const ms of segment.redirectMs) this.redirectMs += ms;
      if (this.last === null || segment.to > this.last.at) {
        this.last = { segment, row: segment.at.lastIndexOf(segment.to), at: segment.to };
      }
    }
  }

  of(visitors: number, interner: StringInterner): Summary {
    const { last } = this;
    const label = (name: 'browser' | 'os' | 'country'): string => {
      const id = last?.segment.columns[name][last.row] ?? 0;
      return interner.of(name).labels[id] ?? '';
    };
    return {
      clicks: this.clicks,
      visitors,
      first: last && this.first,
      last: last && {
        at: last.at,
        browser: label('browser'),
        os: label('os'),
        country: label('country'),
      },
      redirectMs: this.redirectMs,
    };
  }
}
