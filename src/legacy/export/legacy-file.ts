import { Readable } from 'node:stream';
import { attachment, contentType } from '../../analytics/export/attachment';
import { csvZip } from '../../analytics/export/csv-zip';
import { EXPORT_FORMATS, type ExportFormat } from '../../analytics/export/export-format';
import { jsonText } from '../../analytics/export/json-text';
import { xlsxWorkbook } from '../../analytics/export/xlsx-workbook';
import { xmlText } from '../../analytics/export/xml-text';
import type { OpenLegacyStats } from '../stats/legacy-stats.service';
import { archiveTables, legacyDocument, workbookTables } from './legacy-tables';

/** The format of a path, in any case; null when there is no such format. */
export function exportFormat(text: string): ExportFormat | null {
  return EXPORT_FORMATS.find((format) => format === text.toLowerCase()) ?? null;
}

/** Headers of a v0 file; the XML one has a name of its own (contract 13.4). */
export function fileHeaders(format: ExportFormat): [name: string, value: string][] {
  const named = attachment('curtail-export', format);
  return [
    ['Content-Type', contentType(format)],
    ['Content-Disposition', format === 'xml' ? 'attachment; filename="data.xml"' : named],
    ['Cache-Control', 'no-store'],
  ];
}

/** The file itself, streamed by the writers of the v1 exports. */
export function legacyFile(stats: OpenLegacyStats, format: ExportFormat): NodeJS.ReadableStream {
  switch (format) {
    case 'json':
      return Readable.from(jsonText(legacyDocument(stats)));
    case 'xml':
      return Readable.from(xmlText(legacyDocument(stats)));
    case 'csv':
      return csvZip(archiveTables(stats));
    case 'xlsx':
      return xlsxWorkbook(workbookTables(stats));
  }
}
