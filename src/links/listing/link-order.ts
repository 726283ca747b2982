import type { ListedLink } from './listed-link';

export const SORT_FIELDS = ['created_at', 'last_click', 'total_clicks'] as const;
export type SortField = (typeof SORT_FIELDS)[number];

const VALUE: Record<SortField, (link: ListedLink) => number> = {
  created_at: (link) => link.createdAt,
  last_click: (link) => link.lastClick,
  total_clicks: (link) => link.totalClicks,
};

/** An account's links in ascending order of one field, ties by id; kept in order by merging. */
export class LinkOrder {
  private sorted: readonly ListedLink[];
  private readonly compare: (one: ListedLink, other: ListedLink) => number;

  constructor(field: SortField, links: Iterable<ListedLink>) {
    const value = VALUE[field];
    this.compare = (one, other) => {
      const [a, b] = [value(one), value(other)];
      if (a !== b) return a < b ? -1 : 1;
      return one.id < other.id ? -1 : one.id > other.id ? 1 : 0;
    };
    this.sorted = [...links].sort(this.compare);
  }

  get ascending(): readonly ListedLink[] {
    return this.sorted;
  }

  /** Takes the old objects out and puts the new ones in, in one pass. */
  replace(old: ReadonlySet<ListedLink>, fresh: readonly ListedLink[]): void {
    if (old.size === 0 && fresh.length === 0) return;
    const incoming = [...fresh].sort(this.compare);
    const merged: ListedLink[] = [];
    let next = 0;
    for (const link of this.sorted) {
      if (old.has(link)) continue;
      for (; next < incoming.length; next++) {
        const candidate = incoming[next];
        if (candidate === undefined || this.compare(candidate, link) > 0) break;
        merged.push(candidate);
      }
      merged.push(link);
    }
    this.sorted = merged.concat(incoming.slice(next));
  }
}
