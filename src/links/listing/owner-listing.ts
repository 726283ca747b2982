import { LinkFilter, testsOf } from './link-filter';
import { LinkOrder, type SortField } from './link-order';
import { isSame, type ListedLink } from './listed-link';

/** One page of a list: which, in what order, of what. */
export interface PageWish {
  readonly page: number;
  readonly pageSize: number;
  readonly sortBy: SortField;
  readonly descending: boolean;
  readonly filter: LinkFilter;
}

export interface PageOfIds {
  readonly ids: string[];
  readonly total: number;
}

/** All links of one account in memory, in the orders that were asked for so far. */
export class OwnerListing {
  private readonly links = new Map<string, ListedLink>();
  private readonly orders = new Map<SortField, LinkOrder>();

  get size(): number {
    return this.links.size;
  }

  /** Takes note of links that are new, different or gone. */
  update(changed: Iterable<ListedLink>, gone: Iterable<string> = []): void {
    const old = new Set<ListedLink>();
    const fresh = new Map<string, ListedLink>();
    for (const link of changed) {
      const known = this.links.get(link.id);
      if (known !== undefined && isSame(known, link)) continue;
      // What came earlier in the same update is in no order yet.
      if (known !== undefined && fresh.get(link.id) !== known) old.add(known);
      fresh.set(link.id, link);
      this.links.set(link.id, link);
    }
    for (const id of gone) {
      const known = this.links.get(id);
      if (known !== undefined && !fresh.delete(id)) old.add(known);
      this.links.delete(id);
    }
    for (const order of this.orders.values()) order.replace(old, [...fresh.values()]);
  }

  /** Ids of the page and the number of all links that pass the filter. */
  select(wish: PageWish, now: number): PageOfIds {
    const { ascending } = this.order(wish.sortBy);
    const from = (wish.page - 1) * wish.pageSize;
    const last = ascending.length - 1;
    const tests = testsOf(wish.filter, now);
    const ids: string[] = [];
    let total = 0;
    for (let i = tests.length === 0 ? from : 0; i <= last; i++) {
      const link = ascending[wish.descending ? last - i : i];
      if (link === undefined || !tests.every((test) => test(link))) continue;
      if (tests.length > 0 && total++ < from) continue;
      if (ids.length < wish.pageSize) ids.push(link.id);
      else if (tests.length === 0) break;
    }
    return { ids, total: tests.length === 0 ? ascending.length : total };
  }

  private order(field: SortField): LinkOrder {
    let order = this.orders.get(field);
    if (order === undefined) {
      order = new LinkOrder(field, this.links.values());
      this.orders.set(field, order);
    }
    return order;
  }
}
