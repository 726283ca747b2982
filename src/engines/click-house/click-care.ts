import { SIGNALS } from '../click-engine/chunk/click';
import { quotedText } from './click-house';
import { CLICKS, type ClickTable } from './click-table';
import { batchesCondition, keptCondition } from './question-sql';

export interface StoredLinkTotals {
  readonly n: number;
  readonly open: number;
  readonly from: number;
  readonly to: number;
}

type TotalsRow = [link: string, n: number, open: number, from: number, to: number];

export class ClickCare {
  constructor(private readonly table: ClickTable) {}

  /**
   * Returns totals by link ID, for a single link or for all links with clicks.
   * @param deleted by link id, in milliseconds: rows up to this time are omitted
   * @param applied the last batch to include, by node; all batches by default
   */
  async totalsByLink(
    linkId?: string,
    deleted: ReadonlyMap<string, number> = new Map(),
    applied?: Readonly<Record<string, number>>,
  ): Promise<Map<string, StoredLinkTotals>> {
    await this.table.ensure();
    const conditions = [
      ...(linkId === undefined ? [] : [`link = ${quotedText(linkId)}`]),
      ...keptCondition(deleted),
      ...(applied === undefined ? [] : [appliedCondition(applied)]),
    ];
    const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
    const open = `slot = 0 AND bitAnd(signals, ${SIGNALS.exempt}) = 0`;
    const { data } = await this.table.server.ask<TotalsRow>(
      `SELECT toString(link) AS id, count(), countIf(${open}), min(at), max(at) ` +
        `FROM ${this.clicks}${where} GROUP BY id`,
    );
    return new Map(data.map(([id, n, open, from, to]) => [id, { n, open, from, to }]));
  }

  /** Number of duplicate rows by link; any entry indicates a bug. */
  async doubledRows(): Promise<Map<string, number>> {
    await this.table.ensure();
    const { data } = await this.table.server.ask<[string, number]>(
      'SELECT toString(owner) AS id, sum(times - 1) FROM (SELECT any(link) AS owner, count() AS times ' +
        `FROM ${this.clicks} GROUP BY node, batch, row HAVING times > 1) GROUP BY id`,
      { settings: { max_bytes_before_external_group_by: EXTERNAL_BYTES } },
    );
    return new Map(data);
  }

  /** Schedules the deletion; the server rewrites the affected monthly partitions later. */
  async remove(linkIds: readonly string[]): Promise<void> {
    for (const slice of slices(linkIds, LINKS_AT_ONCE)) {
      await this.removeWhere(`link IN (${slice.map(quotedText).join(', ')})`);
    }
  }

  /** Like `remove`, but keeps later clicks. */
  async removeUpTo(links: readonly { readonly id: string; readonly at: Date }[]): Promise<void> {
    const conditions = links.map(({ id, at }) => {
      return `(link = ${quotedText(id)} AND at <= ${at.getTime()})`;
    });
    for (const slice of slices(conditions, CONDITIONS_AT_ONCE)) {
      await this.removeWhere(slice.join(' OR '));
    }
  }

  private async removeWhere(condition: string): Promise<void> {
    await this.table.ensure();
    const { cluster } = this.table.server.options;
    const onAll = cluster === null ? '' : ` ON CLUSTER ${quotedText(cluster)}`;
    const shard = this.table.sqlName(this.table.shardTable(CLICKS));
    await this.table.server.run(`ALTER TABLE ${shard}${onAll} DELETE WHERE ${condition}`);
  }

  private get clicks(): string {
    return this.table.sqlName(CLICKS);
  }
}

function* slices(items: readonly string[], size: number): Generator<readonly string[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}

function appliedCondition(applied: Readonly<Record<string, number>>): string {
  const batches = Object.entries(applied).map(([node, number]) => {
    return { node: Number.parseInt(node, 16), number };
  });
  return batchesCondition(batches);
}

const LINKS_AT_ONCE = 1000;
const CONDITIONS_AT_ONCE = 100;
/** GROUP BY uses the server's disk if it needs more than this much memory. */
const EXTERNAL_BYTES = 1_000_000_000;
