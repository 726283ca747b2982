import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { csvZip } from '../../analytics/export/csv';
import {
  attachment,
  contentType,
  EXPORT_FORMATS,
  type ExportFormat,
} from '../../analytics/export/export-format';
import { jsonText } from '../../analytics/export/json';
import { xlsxWorkbook } from '../../analytics/export/xlsx';
import { xmlText } from '../../analytics/export/xml';
import type { FileResult } from '../../common/http/http-result';
import { FormatError } from '../stats/legacy-stats.errors';
import {
  type LegacyStatsRequest,
  LegacyStatsService,
  type OpenLegacyStats,
} from '../stats/legacy-stats.service';
import { archiveTables, legacyDocument, workbookTables } from './legacy-tables';

/** The format of a path, in any case; null when there is no such format. */
function exportFormat(text: string): ExportFormat | null {
  return EXPORT_FORMATS.find((format) => format === text.toLowerCase()) ?? null;
}

/** Content-Disposition of a v0 file; the XML one has a name of its own (docs/contract.md#13.4). */
function disposition(format: ExportFormat): string {
  if (format === 'xml') return 'attachment; filename="data.xml"';
  return attachment('curtail-export', format);
}

/** The file itself, streamed by the writers of the v1 exports. */
function legacyFile(stats: OpenLegacyStats, format: ExportFormat): NodeJS.ReadableStream {
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

/** Statistics of v0 as files (docs/contract.md#13.4). */
@Injectable()
export class LegacyExportService {
  constructor(private readonly statistics: LegacyStatsService) {}

  /** Everything that can be refused is refused before the first byte. */
  async export(extension: string, asked: LegacyStatsRequest): Promise<FileResult> {
    const format = exportFormat(extension);
    if (format === null) throw new FormatError();
    const stats = await this.statistics.open(asked);
    return {
      kind: 'file',
      contentType: contentType(format),
      disposition: disposition(format),
      open: () => legacyFile(stats, format),
      close: () => stats.figures.close(),
    };
  }
}
