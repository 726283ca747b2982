import { Readable } from 'node:stream';
import { contentDisposition } from '../../common/http/content-disposition';
import { csvText, csvZip } from './csv';
import { type DocumentObject, jsonText } from './json';
import type { Table } from './table';
import { xlsxWorkbook } from './xlsx';
import { xmlText } from './xml';

export const EXPORT_FORMATS = ['csv', 'xlsx', 'json', 'xml'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];
export type FileKind = ExportFormat | 'csv-table';

export interface FileContents {
  document(): DocumentObject;
  archive(): Table[];
  workbook(): Table[];
}

interface FileFormat<Part extends keyof FileContents> {
  readonly contentType: string;
  readonly ending: string;
  readonly holds: Part;
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

/** Each new format (docs/contract.md#10) needs a line here and in EXPORT_FORMATS. */
const WRITERS = { csv, xlsx, json, xml, 'csv-table': csvTable } satisfies Record<FileKind, unknown>;

export type FileContent = DocumentObject | Table[];

export function selectContent(contents: FileContents, format: FileKind): FileContent {
  return contents[WRITERS[format].holds]();
}

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

export function attachment(stem: string, format: FileKind): string {
  const { ending } = WRITERS[format];
  return contentDisposition(`${stem}${ending}`, `curtail-export${ending}`);
}
