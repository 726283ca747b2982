import type { ChunkDimension } from '../click-engine/chunk/chunk-columns';
import type { DIMENSIONS, StoredDimension } from '../click-engine/query/statistics-query';
import { type ClickHouse, quotedName, quotedText } from './click-house';

type TextDimensions = {
  [
    Name in StoredDimension as (typeof DIMENSIONS)[Name]['column'] extends ChunkDimension
      ? Name
      : never
  ]: (typeof DIMENSIONS)[Name]['column'];
};

/** Columns in row order; the first eight visitor bytes are a number, for fast counting. */
const FIXED_COLUMNS = {
  node: 'UInt32',
  batch: 'UInt64',
  row: 'UInt32',
  link: 'FixedString(24)',
  visitor: 'UInt64',
  visitor_rest: 'UInt32',
  at: 'UInt64',
  redirect_ms: 'UInt32',
  slot: 'UInt8',
  signals: 'UInt32',
} as const;

/** Text columns by dimension; empty strings are missing values. A new column needs a migration. */
export const TEXT_COLUMNS = {
  browser: 'browser',
  os: 'os',
  device: 'device',
  country: 'country',
  city: 'city',
  referrer: 'referrer',
  utm_source: 'utmSource',
  utm_medium: 'utmMedium',
  utm_campaign: 'utmCampaign',
  variant: 'variant',
  bot: 'botName',
} as const satisfies TextDimensions;

export type TextColumn = keyof typeof TEXT_COLUMNS;

const TEXT_TYPE = 'LowCardinality(String)';
export const CLICK_COLUMN_NAMES = [
  ...Object.keys(FIXED_COLUMNS),
  ...Object.keys(TEXT_COLUMNS),
  'country_code',
];
const TABLE_COLUMNS = [
  ...Object.entries(FIXED_COLUMNS).map(([name, type]) => `${name} ${type}`),
  ...[...Object.keys(TEXT_COLUMNS), 'country_code'].map((name) => `${name} ${TEXT_TYPE}`),
].join(', ');
/** Setting for servers on which the column type is experimental; later servers accept it. */
const TABLE_SETTINGS = { allow_experimental_low_cardinality_type: 1 };
/** Stores all of a link's rows on the same shard. */
const SHARD_OF_CLICK = 'sipHash64(link)';

/** Tables with all clicks, and with each node's last complete batch. */
export const CLICKS = 'clicks';
export const BATCHES = 'batches';
const SCHEMA = 'curtail_schema';

const CLICK_ENGINE =
  "MergeTree PARTITION BY toYYYYMM(toDateTime(intDiv(at, 1000), 'UTC')) ORDER BY (link, visitor, at)";
const BATCH_ENGINE = 'ReplacingMergeTree(number) ORDER BY node';

/** Returns an upgrade's statements; each statement must be repeatable. */
type Migration = (table: ClickTable) => readonly string[];

const MIGRATIONS: readonly Migration[] = [
  (table) => [
    ...table.created(CLICKS, TABLE_COLUMNS, CLICK_ENGINE, SHARD_OF_CLICK),
    ...table.created(BATCHES, 'node UInt32, number UInt64', BATCH_ENGINE, 'node'),
  ],
];

export class ClickTable {
  private made?: Promise<void>;

  constructor(readonly server: ClickHouse) {}

  /** Creates or upgrades the tables; runs only once per instance. */
  async ensure(): Promise<void> {
    this.made ??= this.migrate();
    try {
      await this.made;
    } catch (error) {
      this.made = undefined;
      throw error;
    }
  }

  sqlName(table: string): string {
    return `${this.server.database}.${quotedName(table)}`;
  }

  /** Returns the name of the table that stores rows on each server. */
  shardTable(table: string): string {
    return this.server.options.cluster === null ? table : `${table}_shard`;
  }

  /** @param shardBy SQL expression that selects a row's shard */
  created(table: string, columns: string, engine: string, shardBy: string): string[] {
    const local = this.sqlName(this.shardTable(table));
    const statements = [`CREATE TABLE IF NOT EXISTS ${local} (${columns}) ENGINE = ${engine}`];
    if (this.server.options.cluster === null) return statements;
    const over = this.overShards(table, shardBy);
    const all = `CREATE TABLE IF NOT EXISTS ${this.sqlName(table)} AS ${local} ENGINE = ${over}`;
    return [...statements, all];
  }

  /** Creates a staging table for inserts, with the click table's columns. */
  async createInlet(name: string): Promise<void> {
    const runStatement = (sql: string) => this.server.run(sql, TABLE_SETTINGS);
    const [inlet, clicks] = [this.sqlName(name), this.sqlName(CLICKS)];
    if (this.server.options.cluster !== null) {
      const over = this.overShards(CLICKS, SHARD_OF_CLICK);
      return runStatement(
        `CREATE TABLE ${inlet} AS ${this.sqlName(this.shardTable(CLICKS))} ENGINE = ${over}`,
      );
    }
    await runStatement(`CREATE TABLE ${inlet} AS ${clicks} ENGINE = Null`);
    const view = this.sqlName(`${name}_view`);
    await runStatement(`CREATE MATERIALIZED VIEW ${view} TO ${clicks} AS SELECT * FROM ${inlet}`);
  }

  private overShards(table: string, shardBy: string): string {
    const { cluster, database } = this.server.options;
    const parts = [cluster ?? '', database, this.shardTable(table)].map(quotedText);
    return `Distributed(${parts.join(', ')}, ${shardBy})`;
  }

  private async migrate(): Promise<void> {
    const { server } = this;
    await server.run(`CREATE DATABASE IF NOT EXISTS ${server.database}`);
    const schema = this.sqlName(SCHEMA);
    await server.run(
      `CREATE TABLE IF NOT EXISTS ${schema} (version UInt32) ENGINE = ReplacingMergeTree ORDER BY version`,
    );
    const { data } = await server.ask<[number]>(`SELECT max(version) FROM ${schema}`);
    const version = data[0]?.[0] ?? 0;
    if (version > MIGRATIONS.length) {
      throw new Error(
        `The ClickHouse tables are from a later release (version ${version}, this release supports ${MIGRATIONS.length})`,
      );
    }
    for (const [at, steps] of MIGRATIONS.entries()) {
      if (at < version) continue;
      for (const step of steps(this)) await server.run(step, TABLE_SETTINGS);
      await server.run(`INSERT INTO ${schema} VALUES (${at + 1})`);
    }
  }
}
