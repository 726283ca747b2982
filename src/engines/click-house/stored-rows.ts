import type { Click } from '../click-engine/click';
import { quotedText } from './click-house';
import { BATCHES, CLICKS, type ClickTable, TEXT_COLUMNS, type TextColumn } from './click-table';

/** Rows that are read at a time. */
const ROWS_AT_ONCE = 50_000;
const TEXTS = Object.keys(TEXT_COLUMNS) as TextColumn[];

type Row = [
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

/** Reads clicks back as they were recorded. */
export class StoredRows {
  constructor(private readonly table: ClickTable) {}

  /** Whether there is any click. */
  async isEmpty(): Promise<boolean> {
    await this.table.ensure();
    const batches = `SELECT count() FROM ${this.table.nameOf(BATCHES)}`;
    const clicks = `SELECT count() FROM ${this.clicks}`;
    for (const sql of [batches, clicks]) {
      const { data } = await this.table.server.ask<[number]>(sql);
      if (data[0]?.[0] !== 0) return false;
    }
    return true;
  }

  /** All clicks of a link, by visitor. */
  async *clicksOf(linkId: string): AsyncGenerator<Click[]> {
    const order = 'visitor, visitor_rest, at, node, batch, row';
    const selected = `toString(visitor), visitor_rest, at, node, batch, row, redirect_ms, slot, signals`;
    const texts = ['country_code', ...TEXTS].map((name) => `toString(${name})`).join(', ');
    let after = '';
    for (;;) {
      const { data } = await this.table.server.ask<Row>(
        `SELECT ${selected}, ${texts} FROM ${this.clicks} WHERE link = ${quotedText(linkId)}` +
          `${after} ORDER BY ${order} LIMIT ${ROWS_AT_ONCE}`,
      );
      const last = data.at(-1);
      if (last === undefined) return;
      yield data.map(clickOf);
      const [visitor, rest, at, node, batch, row] = last;
      after =
        ` AND visitor >= ${visitor} AND (visitor > ${visitor} OR ` +
        `(visitor_rest, at, node, batch, row) > (${rest}, ${at}, ${node}, ${batch}, ${row}))`;
    }
  }

  private get clicks(): string {
    return this.table.nameOf(CLICKS);
  }
}

function clickOf([visitor, rest, at, , , , redirectMs, slot, signals, code, ...texts]: Row): Click {
  const values = Object.fromEntries(
    TEXTS.map((name, place) => [TEXT_COLUMNS[name], textOf(texts[place])]),
  );
  return {
    visitor: `${hexOf(BigInt(visitor), 16)}${hexOf(rest, 8)}`,
    ...{ at, redirectMs, signals },
    ...(values as Omit<
      Click,
      'visitor' | 'at' | 'redirectMs' | 'signals' | 'slot' | 'countryCode'
    >),
    slot: slot === 1,
    countryCode: textOf(code),
  };
}

function hexOf(number: bigint | number, digits: number): string {
  return number.toString(16).padStart(digits, '0');
}

function textOf(stored: string | undefined): string | null {
  return stored === undefined || stored === '' ? null : stored;
}
