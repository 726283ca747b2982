import { safeCell } from '../../src/infrastructure/files/table';

export interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
  /** Whether a quotation mark is not closed, so that the rest of the text is one cell. */
  readonly isOpen: boolean;
}

const SEPARATORS = [',', ';', '\t'] as const;

/**
 * Reads a CSV text (RFC 4180) separated by commas, semicolons or tabs. Skips blank records. Since
 * URLs may contain commas, a separator is used only if all records have the same number of cells,
 * or if the first record is a header.
 * @param isHeader whether cells are column names
 */
export function readCsv(
  text: string,
  isHeader: (cells: readonly string[]) => boolean,
): readonly CsvRecord[] {
  const whole = text.replace(/^\ufeff/, '');
  const readings = SEPARATORS.map((separator) => recordsOf(whole, separator)).filter((records) => {
    const [first] = records;
    if (first === undefined || first.cells.length < 2) return false;
    const isEven = records.every(({ cells }) => cells.length === first.cells.length);
    return isEven || isHeader(first.cells);
  });
  const [widest] = readings.sort((a, b) => widthOf(b) - widthOf(a));
  return widest ?? recordsOf(whole, null);
}

const widthOf = (records: readonly CsvRecord[]): number => records[0]?.cells.length ?? 0;

function recordsOf(text: string, separator: string | null): readonly CsvRecord[] {
  const records: CsvRecord[] = [];
  let cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  let [line, begin] = [1, 1];
  const endRecord = (isOpen: boolean): void => {
    cells.push(cell);
    if (cells.some((each) => each.trim() !== '')) records.push({ line: begin, cells, isOpen });
    [cells, cell, begin] = [[], '', line];
  };
  for (let at = 0; at < text.length; at++) {
    const sign = text.charAt(at);
    const isBreak = sign === '\n' || (sign === '\r' && text.charAt(at + 1) !== '\n');
    if (isBreak) line++;
    if (isQuoted) {
      if (sign !== '"') cell += sign;
      else if (text.charAt(at + 1) === '"') cell += text.charAt(++at);
      else isQuoted = false;
    } else if (sign === '"' && cell.trim() === '') {
      [cell, isQuoted] = ['', true];
    } else if (sign === separator) {
      cells.push(cell);
      cell = '';
    } else if (isBreak) endRecord(false);
    else if (sign !== '\r') cell += sign;
  }
  endRecord(isQuoted);
  return records;
}

/** Returns a CSV file for spreadsheets. Quotes all strings and escapes formulas. */
export function csvFile(
  name: string,
  header: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
): { content: Blob; name: string } {
  // Excel recognises UTF-8 only by the byte-order mark.
  const text = `\ufeff${[header, ...rows].map(lineOf).join('')}`;
  return { content: new Blob([text], { type: 'text/csv;charset=utf-8' }), name };
}

function lineOf(cells: readonly (string | number | null)[]): string {
  const texts = cells.map((cell) =>
    typeof cell === 'string' ? `"${safeCell(cell).replaceAll('"', '""')}"` : String(cell ?? ''),
  );
  return `${texts.join(',')}\r\n`;
}
