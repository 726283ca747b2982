import { type Tag, tagKey } from './tag';

/** An account's tags at one point in time, sorted by lower-case name. */
export class TagSet {
  static readonly EMPTY = new TagSet([]);

  readonly all: readonly Tag[];
  private readonly keys: ReadonlyMap<string, Tag>;
  private readonly ids: ReadonlyMap<string, Tag>;

  constructor(tags: readonly Tag[]) {
    this.all = [...tags].sort((a, b) => (a.key < b.key ? -1 : 1));
    this.keys = new Map(this.all.map((tag) => [tag.key, tag]));
    this.ids = new Map(this.all.map((tag) => [tag.id, tag]));
  }

  get size(): number {
    return this.all.length;
  }

  byId(id: string): Tag | undefined {
    return this.ids.get(id);
  }

  byKey(key: string): Tag | undefined {
    return this.keys.get(key);
  }

  byName(name: string): Tag | undefined {
    return this.keys.get(tagKey(name));
  }

  /** Returns the names in sorted order; deleted tags are skipped. */
  sortedNames(ids: readonly string[]): string[] {
    if (ids.length === 0) return [];
    const tags = ids.flatMap((id) => this.ids.get(id) ?? []);
    return tags.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ name }) => name);
  }
}
