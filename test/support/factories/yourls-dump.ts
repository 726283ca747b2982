export interface YourlsDump {
  readonly text: string;
  readonly links: number;
  readonly clicks: number;
  readonly alias: (link: number) => string;
  readonly clicksOf: (link: number) => number;
}

const SECOND_MS = 1000;
const ROWS_OF_STATEMENT = 500;

/** Links `y0`, `y1`, … after their clicks, which are sorted by time, as in mysqldump files. */
export function yourlsDump(links: number, clicks: number): YourlsDump {
  const alias = (link: number): string => `y${link}`;
  const click = (i: number): string => {
    const at = new Date(Date.UTC(2022, 0, 1) + i * 7 * SECOND_MS);
    const time = at.toISOString().slice(0, 19).replace('T', ' ');
    const address = `203.0.${(i >> 8) % 256}.${i % 256}`;
    return `(${i},'${time}','${alias(i % links)}','direct','Mozilla/5.0 (X11; Linux x86_64) Chrome/120.0','${address}','FR')`;
  };
  const clicksOf = (link: number): number => Math.ceil((clicks - link) / links);
  const link = (i: number): string =>
    `('${alias(i)}','https://example.com/${i}','Title ${i}','2021-01-01 00:00:00','203.0.113.1',${clicksOf(i)})`;
  const text = [
    ...inserts('yourls_log', LOG_COLUMNS, clicks, click),
    ...inserts('yourls_url', URL_COLUMNS, links, link),
    '',
  ].join('\n');
  return { text, links, clicks, alias, clicksOf };
}

const LOG_COLUMNS =
  '`click_id`,`click_time`,`shorturl`,`referrer`,`user_agent`,`ip_address`,`country_code`';
const URL_COLUMNS = '`keyword`,`url`,`title`,`timestamp`,`ip`,`clicks`';

/** INSERTs of several hundred rows each, as mysqldump writes them. */
function inserts(table: string, columns: string, count: number, row: (i: number) => string) {
  const statements: string[] = [];
  for (let from = 0; from < count; from += ROWS_OF_STATEMENT) {
    const rows = Array.from({ length: Math.min(ROWS_OF_STATEMENT, count - from) }, (_, i) =>
      row(from + i),
    );
    statements.push(`INSERT INTO \`${table}\` (${columns}) VALUES ${rows.join(',')};`);
  }
  return statements;
}

export interface YourlsLogRow {
  readonly time: string | null;
  readonly keyword: string;
  readonly referrer: string | null;
  readonly agent: string | null;
  readonly address: string | null;
  readonly code: string | null;
}

export function yourlsDumpOf(
  links: ReadonlyMap<string, string>,
  log: readonly YourlsLogRow[],
): string {
  const totals = new Map<string, number>();
  for (const { keyword } of log) totals.set(keyword, (totals.get(keyword) ?? 0) + 1);
  const click = (i: number): string => {
    const { time, keyword, referrer, agent, address, code } = log[i] as YourlsLogRow;
    return `(${i},${[time, keyword, referrer, agent, address, code].map(quoted).join()})`;
  };
  const rows = [...links].map(([keyword, url]) => {
    const texts = [keyword, url, `Title of ${keyword}`, '2021-01-01 00:00:00', '203.0.113.1'];
    return `(${texts.map(quoted).join()},${totals.get(keyword) ?? 0})`;
  });
  return [
    ...inserts('yourls_log', LOG_COLUMNS, log.length, click),
    ...inserts('yourls_url', URL_COLUMNS, rows.length, (i) => rows[i] ?? ''),
    '',
  ].join('\n');
}

function quoted(text: string | null): string {
  return text === null ? 'NULL' : `'${text.replace(/['\\]/g, '\\$&')}'`;
}
