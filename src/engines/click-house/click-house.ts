import { type ClickHouseClient, createClient } from '@clickhouse/client';
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { type ClickHouseError, toClickHouseError } from './click-house.errors';

/** Timeout longer than MAX_QUERY_SECONDS, so that only a hung server exceeds it. */
const REQUEST_TIMEOUT_MS = 60_000;
const MAX_SERVER_CONNECTIONS = 8;
/** Queries contain lists of link ids, which take about 27 bytes per link. */
const MAX_QUERY_BYTES = 256 * 1024 * 1024;
const MAX_QUERY_SECONDS = 50;
const SLICE_BYTES = 256 * 1024;

export interface ClickHouseOptions {
  /** The HTTP interface's origin and path, without the user, password or database. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** Name of the cluster whose shards store the clicks; null for a single server. */
  readonly cluster: string | null;
}

/** Statement settings; those unknown to the server are omitted. */
export type ServerSettings = Readonly<Record<string, number>>;

/** Result rows, with values in SELECT order. */
export interface Answer<Row extends readonly unknown[]> {
  data: Row[];
  totals?: Row;
  /** Present if the query has a `LIMIT`. */
  rows_before_limit_at_least?: number;
}

const QUESTION_SETTINGS: ServerSettings = {
  output_format_json_quote_64bit_integers: 0,
  max_execution_time: MAX_QUERY_SECONDS,
  max_query_size: MAX_QUERY_BYTES,
  max_ast_elements: 1_000_000,
  max_expanded_ast_elements: 1_000_000,
  // Limits result size, because the client reads a result into a single string.
  max_result_bytes: 256 * 1024 * 1024,
};

export class ClickHouse {
  private readonly client: ClickHouseClient;
  private known?: Promise<ReadonlySet<string>>;

  constructor(readonly options: ClickHouseOptions) {
    const { url, user, password } = options;
    this.client = createClient({
      url,
      username: user,
      password,
      application: 'curtail',
      request_timeout: REQUEST_TIMEOUT_MS,
      max_open_connections: MAX_SERVER_CONNECTIONS,
      // Older servers close connections after three idle seconds.
      keep_alive: { enabled: true, idle_socket_ttl: 2000 },
      log: { level: 127 },
    });
  }

  get database(): string {
    return quotedName(this.options.database);
  }

  async ask<Row extends readonly unknown[]>(
    sql: string,
    { signal, settings: more }: { signal?: AbortSignal; settings?: ServerSettings } = {},
  ): Promise<Answer<Row>> {
    const settings = await this.findUsableSettings({ ...QUESTION_SETTINGS, ...more });
    const id = `curtail-${randomUUID()}`;
    const statement = { query: sql, format: 'JSONCompact', clickhouse_settings: settings } as const;
    try {
      return await this.tried(async () => {
        const abort = signal && { abort_signal: signal };
        const result = await this.client.query({ ...statement, query_id: id, ...abort });
        return (await result.json()) as unknown as Answer<Row>;
      });
    } finally {
      if (signal?.aborted === true) this.endQuery(id);
    }
  }

  /** Stops a query, because the server does not stop it when the client disconnects. */
  private endQuery(id: string): void {
    this.run(`KILL QUERY WHERE query_id = ${quotedText(id)} ASYNC`).catch(() => undefined);
  }

  async run(sql: string, settings: ServerSettings = {}): Promise<void> {
    const known = await this.findUsableSettings(settings);
    await this.tried(() => this.client.command({ query: sql, clickhouse_settings: known }));
  }

  /** Inserts rows in binary format; resolves once the server has stored all of them. */
  async insert(
    into: string,
    rows: Buffer,
    { queryId, settings }: { queryId: string; settings: ServerSettings },
  ): Promise<void> {
    const known = await this.findUsableSettings(settings);
    await this.tried(async () => {
      const { stream } = await this.client.exec({
        query: `INSERT INTO ${into} FORMAT RowBinary`,
        values: Readable.from(sliceBytes(rows), { objectMode: false }),
        query_id: queryId,
        clickhouse_settings: known,
      });
      stream.resume();
    });
  }

  async isHealthy(): Promise<boolean> {
    return (await this.client.ping({ select: true })).success;
  }

  async close(): Promise<void> {
    await this.client.close();
  }

  private async findUsableSettings(wanted: ServerSettings): Promise<Record<string, string>> {
    if (Object.keys(wanted).length === 0) return {};
    const known = await this.knownSettings();
    const usable = Object.entries(wanted).filter(([name]) => known.has(name));
    return Object.fromEntries(usable.map(([name, value]) => [name, String(value)]));
  }

  private async knownSettings(): Promise<ReadonlySet<string>> {
    this.known ??= this.tried(async () => {
      const result = await this.client.query({
        query: 'SELECT name FROM system.settings',
        format: 'JSONCompact',
      });
      const { data } = (await result.json()) as unknown as Answer<[string]>;
      return new Set(data.map(([name]) => name));
    });
    try {
      return await this.known;
    } catch (error) {
      this.known = undefined;
      throw error;
    }
  }

  private async tried<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw toClickHouseError(error) satisfies ClickHouseError;
    }
  }
}

function* sliceBytes(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    yield bytes.subarray(at, at + SLICE_BYTES);
  }
}

export function quotedName(name: string): string {
  return `\`${name.replaceAll(/[`\\]/g, '\\$&')}\``;
}

/** Quotes a string as an SQL literal, because old servers do not support query parameters. */
export function quotedText(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '\\$&')}'`;
}
