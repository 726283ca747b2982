import mongoose from 'mongoose';

export type SortField =
  'alias' | 'created_at' | 'expire_after' | 'last_click' | 'title' | 'total_clicks';

export interface ModelLink {
  _id: mongoose.Types.ObjectId;
  id: string;
  alias: string;
  long_url: string;
  created_at: number;
  last_click: number;
  total_clicks: number;
  expire_after: number;
  has_password: boolean;
  title: string;
  note: string;
  tags: readonly number[];
}

export interface Filter {
  search?: string;
  status?: 'ACTIVE' | 'EXPIRED';
  createdAfter?: number;
  passwordSet?: boolean;
  tags?: readonly number[];
  tagsMode?: 'all' | 'any';
  excludeTags?: readonly number[];
  untagged?: boolean;
}

export interface Input {
  sortBy: SortField;
  descending: boolean;
  filter: Filter;
  page: number;
  pageSize: number;
}

const HOSTS = ['amber', 'basalt', 'coral', 'delta', 'ember', 'fjord', 'grove'];
const YEAR_MS = 365 * 86_400_000;
const PASSWORD_EVERY = 10;
const EXPIRED_EVERY = 25;
export const TAGS = 500;
const TAGS_A_LINK = 3;
const TITLE_LENGTH = 30;
const NOTE_LENGTH = 100;
const SYLLABLES = 'ba do ki le mu na po ri sa te vo zu'.split(' ');

/** Reference model of an account's links, sorted and filtered in the simplest way. */
export class Model {
  readonly links: ModelLink[];
  readonly tagIds = Array.from({ length: TAGS }, () => new mongoose.Types.ObjectId());

  constructor(
    count: number,
    private readonly now: number,
  ) {
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
        expire_after: i % EXPIRED_EVERY === 0 ? now - YEAR_MS : Infinity,
        has_password: i % PASSWORD_EVERY === 0,
        title: textOf(TITLE_LENGTH),
        note: textOf(NOTE_LENGTH),
        tags: tagsOf(i),
      };
    });
  }

  record(i: number): object {
    const link = this.at(i);
    const { _id, alias, long_url, total_clicks } = link;
    const [created_at, last_click] = [new Date(link.created_at), new Date(link.last_click)];
    // Uses older timestamps, so that not all links changed in the last seconds.
    const touched_at = created_at;
    const expire_after = link.expire_after === Infinity ? null : new Date(link.expire_after);
    const password_hash = link.has_password ? 'never checked by the benchmark' : null;
    return {
      ...{ _id, alias, long_url, total_clicks, created_at, last_click, touched_at },
      ...{ expire_after, password_hash, title: link.title, note: link.note },
      tags: link.tags.map((number) => this.tagIds[number]),
    };
  }

  click(count: number, now: number): ModelLink[] {
    const picked = new Set<ModelLink>();
    while (picked.size < count) picked.add(this.at(Math.floor(Math.random() * this.links.length)));
    for (const link of picked) {
      link.total_clicks++;
      link.last_click = now;
    }
    return [...picked];
  }

  expected({ sortBy, descending, filter, page, pageSize }: Input): {
    ids: string[];
    total: number;
  } {
    const found = this.links.filter((link) => this.passes(link, filter));
    const sign = descending ? -1 : 1;
    const isMissing = (link: ModelLink): number => Number(link[sortBy] === Infinity);
    found.sort(
      (a, b) =>
        isMissing(a) - isMissing(b) ||
        sign * (compare(a[sortBy], b[sortBy]) || compare(a.id, b.id)),
    );
    const ids = found.slice((page - 1) * pageSize, page * pageSize).map(({ id }) => id);
    return { ids, total: found.length };
  }

  private passes(link: ModelLink, filter: Filter): boolean {
    const { search = '', status, createdAfter = 0, passwordSet, untagged } = filter;
    const { tags = [], tagsMode = 'any', excludeTags = [] } = filter;
    const carries = (tag: number): boolean => link.tags.includes(tag);
    const texts = [link.alias, link.long_url, link.title, link.note, ...link.tags.map(tagName)];
    const isExpired = link.expire_after <= this.now;
    return (
      search.split(' ').every((word) => texts.some((text) => text.includes(word))) &&
      (tags.length === 0 || (tagsMode === 'all' ? tags.every(carries) : tags.some(carries))) &&
      !excludeTags.some(carries) &&
      (untagged === undefined || untagged === (link.tags.length === 0)) &&
      (status === undefined || (status === 'EXPIRED') === isExpired) &&
      link.created_at >= createdAfter &&
      (passwordSet === undefined || passwordSet === link.has_password)
    );
  }

  private at(i: number): ModelLink {
    const link = this.links[i];
    if (link === undefined) throw new Error(`There is no link ${i}`);
    return link;
  }
}

export function tagName(number: number): string {
  return `tag-${number}`;
}

function tagsOf(i: number): readonly number[] {
  if (i % 50 === 0) return [];
  const tags = new Set<number>();
  while (tags.size < TAGS_A_LINK) tags.add(Math.floor(Math.random() * TAGS));
  return [...tags];
}

function textOf(length: number): string {
  let text = '';
  while (text.length < length) {
    for (let i = 0; i < 3; i++)
      text += SYLLABLES[Math.floor(Math.random() * SYLLABLES.length)] ?? '';
    text += ' ';
  }
  return text.slice(0, length - 1) + '.';
}

function compare<T extends number | string>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
