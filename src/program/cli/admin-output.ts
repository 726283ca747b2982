type Cell = string | number | null;

/** Cells of a table, by the name of their column. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => Cell>>;

/** Objects that a command prints, and their form as a table. */
export interface AdminOutput {
  readonly rows: readonly object[];
  readonly header: readonly string[];
  readonly cells: readonly (readonly Cell[])[];
  /** Said on standard error, where there is more than is shown. */
  readonly note?: string;
}

const MAX_CELL = 60;
/** Texts of users must not steer the terminal. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

export function outputOf<Row extends object>(
  rows: readonly Row[],
  columns: Columns<Row>,
  note?: string,
): AdminOutput {
  const cells = rows.map((row) => Object.values(columns).map((cell) => cell(row)));
  return { rows, header: Object.keys(columns), cells, note };
}

/** One object a line. */
export function toJsonLines({ rows }: AdminOutput): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

export function toTable({ header, cells }: AdminOutput): string {
  const lines = [header, ...cells.map((row) => row.map(textOf))];
  const widths = header.map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)));
  return lines
    .map((line) => line.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

function textOf(value: Cell): string {
  const text = String(value ?? '–').replace(UNPRINTABLE, '\ufffd');
  return text.length > MAX_CELL ? `${text.slice(0, MAX_CELL - 1)}…` : text;
}
