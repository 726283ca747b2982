import type { Click } from '../click-engine/chunk/click';
import { quotedText } from './click-house';
import { keptCondition } from './question-sql';
import { BATCHES, CLICKS, type ClickTable, TEXT_COLUMNS, type TextColumn } from './click-table';

export const ROWS_PER_READ = 50_000;
const TEXT_COLUMN_NAMES = Object.keys(TEXT_COLUMNS) as TextColumn[];
const ORDER = 'visitor, visitor_rest, at, node, batch, row';
const SELECTED = [
  'toString(visitor), visitor_rest, at, node, batch, row, redirect_ms, slot, signals',
  ...['country_code', ...TEXT_COLUMN_NAMES].map((name) => `toString(${name})`),
].join(', ');

type StoredRow = [
  visitor: string,
  rest: number,
  at: number,
  node: number,
  batch: number,
  row: number,
  redirectMs: number,
  slot: number,
  signals: number,
  countryCode: string,
  ...texts: string[],
];

export class StoredRows {
  constructor(private readonly table: ClickTable) {}

  async isEmpty(): Promise<boolean> {
    await this.table.ensure();
    const batches = `SELECT count() FROM ${this.table.sqlName(BATCHES)}`;
    const clicks = `SELECT count() FROM ${this.clicks}`;
    for (const sql of [batches, clicks]) {
      const { data } = await this.table.server.ask<[number]>(sql);
      if (data[0]?.[0] !== 0) return false;
    }
    return true;
  }

  /**
   * @param linkIds links that have at most ROWS_PER_READ clicks in total
   * @param deleted by link id, in milliseconds: rows up to this time are omitted
   */
  async clicksByLink(
    linkIds: readonly string[],
    deleted: ReadonlyMap<string, number>,
  ): Promise<Map<string, Click[]>> {
    const where = [`link IN (${linkIds.map(quotedText).join()})`, ...keptCondition(deleted)];
    const { data } = await this.table.server.ask<[link: string, ...row: StoredRow]>(
      `SELECT toString(link), ${SELECTED} FROM ${this.clicks} WHERE ${where.join(' AND ')} ORDER BY link, ${ORDER}`,
    );
    const clicks = new Map<string, Click[]>();
    for (const [link, ...row] of data) {
      const known = clicks.get(link);
      if (known === undefined) clicks.set(link, [clickFromRow(row)]);
      else known.push(clickFromRow(row));
    }
    return clicks;
  }

  async *clicksOf(linkId: string, deleted: ReadonlyMap<string, number>): AsyncGenerator<Click[]> {
    const where = [`link = ${quotedText(linkId)}`, ...keptCondition(deleted)];
    let after = '';
    for (;;) {
      const { data } = await this.table.server.ask<StoredRow>(
        `SELECT ${SELECTED} FROM ${this.clicks} WHERE ${where.join(' AND ')}` +
          `${after} ORDER BY ${ORDER} LIMIT ${ROWS_PER_READ}`,
      );
      const last = data.at(-1);
      if (last === undefined) return;
      yield data.map(clickFromRow);
      const [visitor, rest, at, node, batch, row] = last;
      after =
        ` AND visitor >= ${visitor} AND (visitor > ${visitor} OR ` +
        `(visitor_rest, at, node, batch, row) > (${rest}, ${at}, ${node}, ${batch}, ${row}))`;
    }
  }

  private get clicks(): string {
    return this.table.sqlName(CLICKS);
  }
}

function clickFromRow([
  visitor,
  rest,
  at,
  ,
  ,
  ,
  redirectMs,
  slot,
  signals,
  code,
  ...texts
]: StoredRow): Click {
  const values = Object.fromEntries(
    TEXT_COLUMN_NAMES.map((name, place) => [TEXT_COLUMNS[name], storedText(texts[place])]),
  );
  return {
    visitor: `${toHex(BigInt(visitor), 16)}${toHex(rest, 8)}`,
    at,
    redirectMs,
    signals,
    ...(values as Omit<
      Click,
      'visitor' | 'at' | 'redirectMs' | 'signals' | 'slot' | 'countryCode'
    >),
    slot: slot === 1,
    countryCode: storedText(code),
  };
}

function toHex(number: bigint | number, digits: number): string {
  return number.toString(16).padStart(digits, '0');
}

function storedText(stored: string | undefined): string | null {
  return stored === undefined || stored === '' ? null : stored;
}
