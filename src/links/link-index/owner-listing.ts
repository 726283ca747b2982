import { sliceItems } from '../../infrastructure/mongo/many-documents';
import { firstRowInBlock, LinkColumns } from './link-columns';
import type { LinksGlance, PageOfIds, PageRequest, SortField, TagCounts } from './link-list';
import type { TagSet } from '../../stores/tags/tag-set';
import { LinkOrder } from './link-order';
import { type ListedLink, PRESENCE_BITS } from './listed-link';
import { isOpenFilter, type LinkTests, markPassing, toLinkTests } from './row-filter';
import { Turns } from './turns';
import { BLOCKED, INACTIVE, LIVE, wordsOfId } from './row-block';

/** Number of changes to apply to an order without yielding. */
const CHANGES_AT_ONCE = 1000;
const MAX_DEAD_KEPT = 1000;
/** The links are loaded again if more than a quarter of the rows is deleted. */
const DEAD_SHARE = 4;
const MIN_LISTING_BYTES = 1024;
const MIN_LINK_BYTES = 90;
const PLACES_AT_ONCE = 1 << 14;
const ROWS_AT_ONCE = 1 << 14;

export function minListingBytes(links: number): number {
  return MIN_LISTING_BYTES + links * MIN_LINK_BYTES;
}

/**
 * Long operations yield to the event loop. Callers must not run `update` during a `select`, or two
 * changes concurrently.
 */
export class OwnerListing {
  private readonly columns = new LinkColumns();
  private byId?: LinkOrder;
  private readonly orders = new Map<SortField, Promise<LinkOrder>>();
  private made: LinkOrder[] = [];

  get size(): number {
    return this.byId?.length ?? 0;
  }

  get bytes(): number {
    const orders = this.made.reduce((sum, { bytes }) => sum + bytes, this.byId?.bytes ?? 0);
    return MIN_LISTING_BYTES + this.columns.bytes + orders;
  }

  get isWorn(): boolean {
    const { dead, rowsEnd, hasManyTags } = this.columns;
    return hasManyTags || (dead > MAX_DEAD_KEPT && dead > rowsEnd / DEAD_SHARE);
  }

  /** For the initial load only. Add each link only once. */
  add(links: Iterable<ListedLink>): void {
    for (const link of links) this.columns.append(link);
  }

  /** Call after the last `add`. */
  async complete(): Promise<void> {
    this.byId = await LinkOrder.byId(this.columns, new Turns());
  }

  /** Whether the listing includes the write to the link with this timestamp. */
  isStamped(id: string, at: number): boolean {
    const row = this.byId?.find(wordsOfId(id));
    return row !== undefined && this.columns.isStamped(row, at);
  }

  async update(changed: readonly ListedLink[], gone: readonly string[] = []): Promise<void> {
    this.byId ??= await LinkOrder.byId(this.columns, new Turns());
    const turns = new Turns();
    for (const changedSlice of sliceItems(changed, CHANGES_AT_ONCE))
      await this.takeChanges(changedSlice, this.byId, turns);
    for (const goneSlice of sliceItems(gone, CHANGES_AT_ONCE))
      await this.dropLinks(goneSlice, this.byId, turns);
  }

  /** @param counts clicks by link id, for all links that have imported ones */
  async setImported(counts: ReadonlyMap<string, number>): Promise<void> {
    const turns = new Turns();
    const ids = (this.byId ??= await LinkOrder.byId(this.columns, turns));
    for (const { importedClicks, rows } of this.columns.blocks) {
      for (let row = 0; row < rows; row++) importedClicks.set(row, 0);
    }
    for (const [id, clicks] of counts) {
      if (turns.due) await turns.next();
      const row = ids.find(wordsOfId(id));
      if (row !== undefined) this.columns.setImported(row, clicks);
    }
    // Built again on demand, which takes less time than moving many rows.
    const outdated = await this.orders.get('total_clicks');
    this.orders.delete('total_clicks');
    this.made = this.made.filter((order) => order !== outdated);
  }

  /** @param tags the account's tags, used only if the filter needs them */
  async select(input: PageRequest, now: number, tags: TagSet): Promise<PageOfIds> {
    const turns = new Turns();
    const order = await this.order(input.sortBy, turns);
    const from = (input.page - 1) * input.pageSize;
    const at = input.descending ? order.descending() : (place: number) => order.at(place);
    const ids: string[] = [];
    if (isOpenFilter(input.filter)) {
      for (let place = from; place < order.length && ids.length < input.pageSize; place++) {
        if (ids.length % PLACES_AT_ONCE === 0 && turns.due) await turns.next();
        ids.push(this.columns.linkId(at(place)));
      }
      return { ids, total: order.length, ...(await this.sums(input, null, turns)) };
    }
    const tests = toLinkTests(input.filter, now, this.columns, tags);
    const { passed, total } = await this.passing(tests, turns);
    let place = 0;
    for (let found = 0; found < total && ids.length < input.pageSize; place++) {
      if (place % PLACES_AT_ONCE === 0 && turns.due) await turns.next();
      const row = at(place);
      if (passed[row] === 1 && found++ >= from) ids.push(this.columns.linkId(row));
    }
    return { ids, total, ...(await this.sums(input, passed, turns)) };
  }

  countByTag(): Map<string, TagCounts> {
    return this.columns.countByTag();
  }

  async glance(now: number, soon: number, most: number): Promise<LinksGlance> {
    const turns = new Turns();
    const counts = { total: 0, active: 0, importedClicks: 0 };
    const limited: string[] = [];
    let expiring: { row: number; at: number }[] = [];
    for (const [i, block] of this.columns.blocks.entries()) {
      if (turns.due) await turns.next();
      for (let row = 0; row < block.rows; row++) {
        const flags = block.flags[row] ?? 0;
        const at = block.expireAfter.at(row);
        if ((flags & LIVE) === 0) continue;
        counts.total++;
        counts.importedClicks += block.importedClicks.at(row);
        if ((flags & (INACTIVE | BLOCKED)) !== 0 || at <= now || block.startsAt.at(row) > now)
          continue;
        counts.active++;
        if ((flags & PRESENCE_BITS.maxClicksSet) !== 0) limited.push(block.linkId(row));
        if (at <= soon) expiring.push({ row: firstRowInBlock(i) + row, at });
      }
      expiring = expiring.sort((a, b) => a.at - b.at || a.row - b.row).slice(0, most);
    }
    return { ...counts, expiring: expiring.map(({ row }) => this.columns.linkId(row)), limited };
  }

  private async passing(
    tests: LinkTests,
    turns: Turns,
  ): Promise<{ passed: Uint8Array; total: number }> {
    if (tests.nothing) return { passed: new Uint8Array(0), total: 0 };
    const passed = new Uint8Array(this.columns.rowsEnd);
    let total = 0;
    // Each word requires a search through the texts and another through the notes.
    const atOnce = Math.ceil(ROWS_AT_ONCE / Math.max(2 * tests.words.length, 1));
    for (const [i, block] of this.columns.blocks.entries()) {
      const marks = passed.subarray(firstRowInBlock(i), firstRowInBlock(i) + block.rows);
      for (let from = 0; from < block.rows; from += atOnce) {
        if (turns.due) await turns.next();
        const end = Math.min(from + atOnce, block.rows);
        total += markPassing(tests, block, { from, end }, marks);
      }
    }
    return { passed, total };
  }

  private async sums(
    { sums }: PageRequest,
    passed: Uint8Array | null,
    turns: Turns,
  ): Promise<{ totalClicks?: number; importedClicks?: number }> {
    if (sums !== true) return {};
    let [totalClicks, importedClicks] = [0, 0];
    for (const [i, block] of this.columns.blocks.entries()) {
      if (turns.due) await turns.next();
      const first = firstRowInBlock(i);
      for (let row = 0; row < block.rows; row++) {
        const counts =
          passed === null ? ((block.flags[row] ?? 0) & LIVE) !== 0 : passed[first + row] === 1;
        if (!counts) continue;
        totalClicks += block.totalClicks[row] ?? 0;
        importedClicks += block.importedClicks.at(row);
      }
    }
    return { totalClicks, importedClicks };
  }

  private async takeChanges(
    links: readonly ListedLink[],
    ids: LinkOrder,
    turns: Turns,
  ): Promise<void> {
    const coming = new Map<string, ListedLink>();
    const leaving = new Map<string, number>();
    // If a link occurs more than once, the last version applies.
    for (const [id, link] of new Map(links.map((link) => [String(link.id), link]))) {
      const row = ids.find(wordsOfId(id));
      if (row !== undefined && this.columns.refresh(row, link)) continue;
      if (row !== undefined) leaving.set(id, row);
      coming.set(id, link);
    }
    if (coming.size === 0) return;
    await this.inOrders(ids, turns, (order) => order.remove([...leaving.values()]));
    const rows = [...coming].map(([id, link]) => {
      const row = leaving.get(id);
      return row === undefined ? this.columns.append(link) : this.columns.replace(row, link);
    });
    await this.inOrders(ids, turns, (order) => order.insert(rows));
  }

  private async dropLinks(gone: readonly string[], ids: LinkOrder, turns: Turns): Promise<void> {
    const found = new Set(gone.map((id) => ids.find(wordsOfId(id))));
    found.delete(undefined);
    const rows = [...found] as number[];
    if (rows.length === 0) return;
    await this.inOrders(ids, turns, (order) => order.remove(rows));
    for (const row of rows) this.columns.remove(row);
  }

  private async inOrders(
    ids: LinkOrder,
    turns: Turns,
    change: (order: LinkOrder) => void,
  ): Promise<void> {
    for (const order of [ids, ...this.made]) {
      if (turns.due) await turns.next();
      change(order);
    }
  }

  private order(field: SortField, turns: Turns): Promise<LinkOrder> {
    let order = this.orders.get(field);
    if (order === undefined) {
      order = this.make(field, turns);
      this.orders.set(field, order);
      order.catch(() => this.orders.delete(field));
    }
    return order;
  }

  private async make(field: SortField, turns: Turns): Promise<LinkOrder> {
    this.byId ??= await LinkOrder.byId(this.columns, turns);
    const order = await LinkOrder.by(field, this.byId, turns);
    this.made.push(order);
    return order;
  }
}
