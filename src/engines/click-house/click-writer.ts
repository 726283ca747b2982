import { randomBytes } from 'node:crypto';
import { quotedText } from './click-house';
import { ClickHouseError } from './click-house.errors';
import { encodeClickRows, type LinkClicks, type RowOrigin } from './click-rows';
import { BATCHES, CLICKS, ClickTable, CLICK_COLUMN_NAMES } from './click-table';

export interface ClickHouseBatch extends RowOrigin {
  readonly links: readonly LinkClicks[];
}

const INSERT_SETTINGS = {
  // An insert is acknowledged only after every shard has stored its rows.
  insert_distributed_sync: 1,
  distributed_foreground_insert: 1,
  async_insert: 0,
  // Copied clicks may span many years.
  max_partitions_per_insert_block: 0,
};
/** Makes DROP wait for running statements; newer servers let them continue by default. */
const DROP_SETTINGS = { database_atomic_wait_for_drop_and_detach_synchronously: 1 };

/**
 * Writes each batch exactly once, even if `record` is repeated.
 *
 * Rows are inserted into an inlet: a staging table that belongs to this writer. If an insert's
 * outcome is unknown, the writer drops the staging table, which waits for running inserts and
 * rejects later inserts. The writer then queries which rows in the batch are stored, and inserts
 * the missing rows through a new table. A batch is counted once it is in the batch table.
 */
export class ClickWriter {
  private inlet: string | null = null;
  private node = '';
  /** The node's last complete batch number. */
  private done = 0;
  /** Whether rows in the next batch may already be stored. */
  private mayBeThere = true;
  isUp = true;

  constructor(private readonly table: ClickTable) {}

  async record(batch: ClickHouseBatch): Promise<void> {
    try {
      await this.openInlet(batch.node);
      if (batch.number <= this.done) return;
      await this.write(batch);
      const { server } = this.table;
      const values = `(${nodeNumber(batch.node)}, ${batch.number})`;
      const batches = this.table.sqlName(BATCHES);
      await server.run(`INSERT INTO ${batches} (node, number) VALUES ${values}`, INSERT_SETTINGS);
      this.done = batch.number;
      this.isUp = true;
    } catch (error) {
      this.isUp = false;
      this.inlet = null;
      throw error;
    }
  }

  /** Drops the staging table; if that fails, the next writer drops it. */
  async close(): Promise<void> {
    if (this.inlet !== null) await this.dropInlets(this.node);
    this.inlet = null;
  }

  private async write(batch: ClickHouseBatch): Promise<void> {
    const known = this.mayBeThere ? await this.knownRows(batch) : new Set<number>();
    this.mayBeThere = true;
    const rows = encodeClickRows(batch, batch.links, known);
    if (rows.length > 0) {
      const into = `${this.table.sqlName(this.inlet ?? '')} (${CLICK_COLUMN_NAMES.join(', ')})`;
      const queryId = `${this.inlet}-${batch.number}`;
      await this.table.server.insert(into, rows, { queryId, settings: INSERT_SETTINGS });
    }
    this.mayBeThere = false;
  }

  private async openInlet(node: string): Promise<void> {
    if (this.inlet !== null && this.node === node) return;
    this.mayBeThere = true;
    await this.table.ensure();
    await this.dropInlets(node);
    const name = `${inletPrefix(node)}${randomBytes(6).toString('hex')}`;
    await this.table.createInlet(name);
    const { data } = await this.table.server.ask<[number]>(
      `SELECT max(number) FROM ${this.table.sqlName(BATCHES)} WHERE node = ${nodeNumber(node)}`,
    );
    this.done = data[0]?.[0] ?? 0;
    this.node = node;
    this.inlet = name;
  }

  /** Once this resolves, no insert through one of this node's staging tables is running. */
  private async dropInlets(node: string): Promise<void> {
    const { server } = this.table;
    const { database, cluster } = server.options;
    const ofNode = (column: string) => `startsWith(${column}, ${quotedText(inletPrefix(node))})`;
    const { data } = await server.ask<[string]>(
      `SELECT name FROM system.tables WHERE database = ${quotedText(database)} AND ${ofNode('name')}`,
    );
    // Sorted, so that a staging table is dropped before its view and no insert is incomplete.
    const names = data.map(([name]) => name).sort();
    for (const name of names) {
      await server.run(`DROP TABLE IF EXISTS ${this.table.sqlName(name)}`, DROP_SETTINGS);
    }
    if (cluster === null) return;
    // A shard may still be storing rows for a server that has died.
    const running = await server.ask<[number]>(
      `SELECT count() FROM cluster(${quotedText(cluster)}, system, processes) ` +
        `WHERE ${ofNode('initial_query_id')}`,
    );
    if (running.data[0]?.[0] !== 0) {
      throw new ClickHouseError('busy', 'an earlier insert is still running on a shard');
    }
  }

  private async knownRows({ node, number, links }: ClickHouseBatch): Promise<Set<number>> {
    let [from, to] = [Infinity, 0];
    for (const { chunks } of links) {
      for (const chunk of chunks) {
        from = Math.min(from, chunk.from);
        to = Math.max(to, chunk.to);
      }
    }
    if (from > to) return new Set();
    const { data } = await this.table.server.ask<[number]>(
      `SELECT row FROM ${this.table.sqlName(CLICKS)} WHERE node = ${nodeNumber(node)} ` +
        `AND batch = ${number} AND at BETWEEN ${from} AND ${to}`,
    );
    return new Set(data.map(([row]) => row));
  }
}

function inletPrefix(node: string): string {
  return `inlet_${node}_`;
}

function nodeNumber(node: string): number {
  return Number.parseInt(node, 16);
}
