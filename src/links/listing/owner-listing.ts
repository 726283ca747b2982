import { setImmediate as turn } from 'node:timers/promises';
import { LinkFilter, testsOf } from './link-filter';
import { LinkOrder, type SortField } from './link-order';
import { isSame, type ListedLink } from './listed-link';

/** Links that a filter looks at in one go: some 3 ms. */
const LINKS_AT_ONCE = 10_000;

/** One page of a list: which, in what order, of what. */
export interface PageRequest {
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
  private updates = 0;

  get size(): number {
    return this.links.size;
  }

  /** Takes note of links that are new, different or gone. */
  update(changed: Iterable<ListedLink>, gone: Iterable<string> = []): void {
    this.updates++;
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

  /**
   * Ids of the page and the number of all links that pass the filter. A filter looks at every
   * link; redirects have their turn in between, and the list stays as it was at the call.
   */
  async select(input: PageRequest, now: number): Promise<PageOfIds> {
    const { ascending } = await this.order(input.sortBy);
    const from = (input.page - 1) * input.pageSize;
    const tests = testsOf(input.filter, now);
    const at = (i: number): ListedLink | undefined =>
      ascending[input.descending ? ascending.length - 1 - i : i];
    if (tests.length === 0) {
      const count = Math.max(0, Math.min(input.pageSize, ascending.length - from));
      return {
        ids: Array.from({ length: count }, (_, i) => at(from + i)?.id ?? ''),
        total: ascending.length,
      };
    }
    const ids: string[] = [];
    let total = 0;
    for (let i = 0; i < ascending.length; i++) {
      if (i % LINKS_AT_ONCE === LINKS_AT_ONCE - 1) await turn();
      const link = at(i);
      if (link === undefined || !tests.every((test) => test(link))) continue;
      if (total >= from && ids.length < input.pageSize) ids.push(link.id);
      total++;
    }
    return { ids, total };
  }

  /** All links as they are at the call, some at a time; redirects have their turn in between. */
  async *slices(): AsyncGenerator<readonly ListedLink[]> {
    const links = [...this.links.values()];
    for (let from = 0; from < links.length; from += LINKS_AT_ONCE) {
      if (from > 0) await turn();
      yield links.slice(from, from + LINKS_AT_ONCE);
    }
  }

  /** The order as it is now, kept for later unless links have changed while it was made. */
  private async order(field: SortField): Promise<LinkOrder> {
    const known = this.orders.get(field);
    if (known !== undefined) return known;
    const { updates } = this;
    const order = await LinkOrder.of(field, this.links.values());
    if (updates === this.updates) this.orders.set(field, order);
    return order;
  }
}
