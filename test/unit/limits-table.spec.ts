import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type LimitRow, LIMITS } from '../../src/auth/rate-limit/rate-limits';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/common/time';
import type { WindowRule } from '../../src/infrastructure/rate-limit-store/rate-limit-store';

const FILE = join(__dirname, '../../docs/operations.md');
const [BEGIN, END] = ['<!-- limits: begin -->\n', '<!-- limits: end -->'];
const UNITS = new Map([
  [MINUTE_MS, 'minute'],
  [HOUR_MS, 'hour'],
  [DAY_MS, 'day'],
]);

function cell(rules: readonly WindowRule[] | undefined): string {
  if (rules === undefined) return '–';
  return rules.map(({ limit, ms }) => `${limit}/${UNITS.get(ms) ?? `${ms} ms`}`).join(', ');
}

function table(): string {
  const rows = Object.entries<LimitRow>(LIMITS).map(([name, { authenticated, anonymous }]) => [
    `\`${name}\``,
    cell(authenticated),
    cell(anonymous),
  ]);
  const all = [['Row', 'An account', 'A client address'], ...rows];
  const widths = [0, 1, 2].map((i) => Math.max(...all.map((row) => row[i]?.length ?? 0)));
  const line = (row: string[]) =>
    `| ${row.map((text, i) => text.padEnd(widths[i] ?? 0)).join(' | ')} |`;
  const rule = line(widths.map((width) => '-'.repeat(width)));
  const [head = [], ...body] = all;
  return `\n${[line(head), rule, ...body.map(line)].join('\n')}\n\n`;
}

describe('The table of limits in docs/operations.md', () => {
  it("is equal to the program's limits (UPDATE_DOCUMENTS=1 rewrites it)", () => {
    const text = readFileSync(FILE, 'utf8');
    const [from, to] = [text.indexOf(BEGIN) + BEGIN.length, text.indexOf(END)];
    expect(from).toBeGreaterThan(BEGIN.length);
    expect(to).toBeGreaterThanOrEqual(from);
    if (process.env.UPDATE_DOCUMENTS === '1') {
      writeFileSync(FILE, `${text.slice(0, from)}${table()}${text.slice(to)}`);
    } else {
      expect(text.slice(from, to)).toBe(table());
    }
  });
});
