export type OutputCell = string | number | null;

export type Columns<Row> = Readonly<Record<string, (row: Row) => OutputCell>>;

export interface AdminOutput {
  readonly rows: readonly object[];
  readonly header: readonly string[];
  readonly cells: readonly (readonly OutputCell[])[];
  /** Note for standard error, if the output is truncated. */
  readonly note?: string;
}

const MAX_CELL = 60;
/** Characters that are escaped, so that users' text cannot control the terminal. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

export function toOutput<Row extends object>(
  rows: readonly Row[],
  columns: Columns<Row>,
  note?: string,
): AdminOutput {
  const cells = rows.map((row) => Object.values(columns).map((cell) => cell(row)));
  return { rows, header: Object.keys(columns), cells, note };
}

export function toJsonLines({ rows }: AdminOutput): string {
  return rows
    .map((row) => `${JSON.stringify(row).replace(UNPRINTABLE, escapeCharacter)}\n`)
    .join('');
}

/** @param width terminal width; wider tables are printed as a list of fields */
export function toTable({ header, cells }: AdminOutput, width = Infinity): string {
  const rows = cells.map((row) => row.map(printableText));
  const table = alignCells([header, ...rows]);
  if (table.every((line) => line.length <= width)) return toText(table);
  return rows
    .map((row) => toText(alignCells(row.map((cell, i) => [header[i] ?? '', cell]))))
    .join('\n');
}

export function readableSize(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), units.length - 1);
  const size = bytes / 1024 ** power;
  return `${power === 0 ? size : size.toFixed(1)} ${units[power] ?? ''}`;
}

function alignCells(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function toText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

function printableText(value: OutputCell): string {
  const text = String(value ?? '–').replace(UNPRINTABLE, '\ufffd');
  return text.length > MAX_CELL ? `${text.slice(0, MAX_CELL - 1)}…` : text;
}

/** Returns a JSON escape, which JSON parsers convert back to the character. */
function escapeCharacter(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
