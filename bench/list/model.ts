import mongoose from 'mongoose';

export type SortField = 'created_at' | 'last_click' | 'total_clicks';

/** A link as the list sorts and finds it; times in milliseconds. */
export interface ModelLink {
  _id: mongoose.Types.ObjectId;
  id: string;
  alias: string;
  long_url: string;
  created_at: number;
  last_click: number;
  total_clicks: number;
}

export interface Input {
  sortBy: SortField;
  descending: boolean;
  search: string;
  page: number;
  pageSize: number;
}

const HOSTS = ['amber', 'basalt', 'coral', 'delta', 'ember', 'fjord', 'grove'];
const YEAR_MS = 365 * 86_400_000;

/** What an account's links should look like in a list, kept beside the database and asked naively. */
export class Model {
  readonly links: ModelLink[];

  constructor(count: number, now: number) {
    this.links = Array.from({ length: count }, (_, i) => {
      const _id = new mongoose.Types.ObjectId();
      return {
        _id,
        id: _id.toHexString(),
        alias: `b${i}`,
        long_url: `https://${HOSTS[i % HOSTS.length] ?? ''}.example/articles/${i}/read?issue=${i % 97}`,
        created_at: now - Math.floor(Math.random() * YEAR_MS),
        last_click: now - Math.floor(Math.random() * YEAR_MS),
        total_clicks: Math.floor(Math.random() ** 4 * 10_000),
      };
    });
  }

  /** What of the i-th link the database is to hold beside the usual. */
  record(i: number): object {
    const link = this.at(i);
    const { _id, alias, long_url, total_clicks } = link;
    const [created_at, last_click] = [new Date(link.created_at), new Date(link.last_click)];
    // Seeded long ago, as an account's links are: not all of them within the last seconds.
    const touched_at = created_at;
    return { _id, alias, long_url, total_clicks, created_at, last_click, touched_at };
  }

  /** Gives some random links another click; answers them. */
  click(count: number, now: number): ModelLink[] {
    const picked = new Set<ModelLink>();
    while (picked.size < count) picked.add(this.at(Math.floor(Math.random() * this.links.length)));
    for (const link of picked) {
      link.total_clicks++;
      link.last_click = now;
    }
    return [...picked];
  }

  expected({ sortBy, descending, search, page, pageSize }: Input): {
    ids: string[];
    total: number;
  } {
    const found = this.links.filter(
      ({ alias, long_url }) => alias.includes(search) || long_url.includes(search),
    );
    const sign = descending ? -1 : 1;
    found.sort((a, b) => sign * (a[sortBy] - b[sortBy] || (a.id < b.id ? -1 : 1)));
    const ids = found.slice((page - 1) * pageSize, page * pageSize).map(({ id }) => id);
    return { ids, total: found.length };
  }

  private at(i: number): ModelLink {
    const link = this.links[i];
    if (link === undefined) throw new Error(`There is no link ${i}`);
    return link;
  }
}
