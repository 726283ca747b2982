import { Readable } from 'node:stream';
import { contentDisposition } from '../../common/http/content-disposition';
import { csvText, csvZip } from './csv';
import { jsonText } from './json';
import type { DocumentObject } from './paged-list';
import type { Table } from './table';
import { xlsxWorkbook } from './xlsx';
import { xmlText } from './xml';

export const EXPORT_FORMATS = ['csv', 'xlsx', 'json', 'xml'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];
/** Kinds of files that can be written: the formats of exports, and a CSV file of one table. */
export type FileKind = ExportFormat | 'csv-table';

/** Content of a file: a format takes one of the three. */
export interface FileContents {
  /** The object of a JSON or XML file. */
  document(): DocumentObject;
  /** The tables of an archive of CSV files. */
  archive(): Table[];
  /** The tables of a workbook. */
  workbook(): Table[];
}

interface FileFormat<Part extends keyof FileContents> {
  readonly contentType: string;
  /** Ending of the file's name. */
  readonly ending: string;
  readonly holds: Part;
  /** Writes while it reads the pages of what it is given. */
  readonly write: (content: ReturnType<FileContents[Part]>, bom: boolean) => NodeJS.ReadableStream;
}

const csv: FileFormat<'archive'> = {
  contentType: 'application/zip',
  ending: '-csv.zip',
  holds: 'archive',
  write: csvZip,
};

const csvTable: FileFormat<'archive'> = {
  contentType: 'text/csv; charset=utf-8',
  ending: '.csv',
  holds: 'archive',
  write: csvText,
};

const xlsx: FileFormat<'workbook'> = {
  contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  ending: '.xlsx',
  holds: 'workbook',
  write: xlsxWorkbook,
};

const json: FileFormat<'document'> = {
  contentType: 'application/json',
  ending: '.json',
  holds: 'document',
  write: (document) => Readable.from(jsonText(document)),
};

const xml: FileFormat<'document'> = {
  contentType: 'application/xml',
  ending: '.xml',
  holds: 'document',
  write: (document) => Readable.from(xmlText(document)),
};

/** The formats of docs/contract.md#10: a new one is a line here and in EXPORT_FORMATS. */
const WRITERS = { csv, xlsx, json, xml, 'csv-table': csvTable } satisfies Record<FileKind, unknown>;

export type FileContent = DocumentObject | Table[];

export function selectContent(contents: FileContents, format: FileKind): FileContent {
  return contents[WRITERS[format].holds]();
}

/**
 * The bytes or the text of a file; its content is of the kind that the format takes.
 *
 * @param bom whether CSV files begin with the UTF-8 mark
 */
export function writeFile(
  format: FileKind,
  content: FileContent,
  bom: boolean,
): NodeJS.ReadableStream {
  return WRITERS[format].write(content as never, bom);
}

export function contentType(format: FileKind): string {
  return WRITERS[format].contentType;
}

/** Content-Disposition of an export. */
export function attachment(stem: string, format: FileKind): string {
  const { ending } = WRITERS[format];
  return contentDisposition(`${stem}${ending}`, `curtail-export${ending}`);
}
