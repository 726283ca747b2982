import { SIGNALS } from '../click-engine/chunk/signals';
import { quotedText } from './click-house';
import { CLICKS, type ClickTable } from './click-table';

export interface StoredLinkTotals {
  readonly n: number;
  readonly open: number;
  readonly from: number;
  readonly to: number;
}

type TotalsRow = [link: string, n: number, open: number, from: number, to: number];

export class ClickCare {
  constructor(private readonly table: ClickTable) {}

  /** Returns totals by link ID, for a single link or for all links with clicks. */
  async totalsByLink(linkId?: string): Promise<Map<string, StoredLinkTotals>> {
    await this.table.ensure();
    const where = linkId === undefined ? '' : ` WHERE link = ${quotedText(linkId)}`;
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
    if (linkIds.length === 0) return;
    await this.table.ensure();
    const { cluster } = this.table.server.options;
    const onAll = cluster === null ? '' : ` ON CLUSTER ${quotedText(cluster)}`;
    const shard = this.table.sqlName(this.table.shardTable(CLICKS));
    for (let at = 0; at < linkIds.length; at += LINKS_AT_ONCE) {
      const links = linkIds.slice(at, at + LINKS_AT_ONCE).map(quotedText);
      await this.table.server.run(
        `ALTER TABLE ${shard}${onAll} DELETE WHERE link IN (${links.join(', ')})`,
      );
    }
  }

  private get clicks(): string {
    return this.table.sqlName(CLICKS);
  }
}

const LINKS_AT_ONCE = 1000;
/** GROUP BY uses the server's disk if it needs more than this much memory. */
const EXTERNAL_BYTES = 1_000_000_000;
