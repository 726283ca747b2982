import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
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
import { LegacyError } from '../legacy.errors';
import {
  type LegacyStatsRequest,
  LegacyStatsService,
  type OpenLegacyStats,
} from '../stats/legacy-stats.service';
import { archiveTables, legacyDocument, workbookTables } from './legacy-tables';

/** The format of a path, in any case; null when there is no such format. */
export function exportFormat(text: string): ExportFormat | null {
  return EXPORT_FORMATS.find((format) => format === text.toLowerCase()) ?? null;
}

/** Headers of a v0 file; the XML one has a name of its own (docs/contract.md#13.4). */
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

/** 400: there is no such file format. */
export class FormatError extends LegacyError {
  constructor() {
    super(400, 'FormatError', 'The format must be csv, xlsx, json or xml');
  }
}

/** Statistics of v0 as files (docs/contract.md#13.4). */
@Injectable()
export class LegacyExportService {
  constructor(private readonly statistics: LegacyStatsService) {}

  /** Everything that can be refused is refused before the first byte. */
  async send(extension: string, asked: LegacyStatsRequest): Promise<void> {
    const { response } = asked;
    const format = exportFormat(extension);
    if (format === null) throw new FormatError();
    const stats = await this.statistics.open(asked);
    try {
      response.status(200);
      for (const [name, value] of fileHeaders(format)) response.setHeader(name, value);
      await pipeline(legacyFile(stats, format), response);
    } catch (error) {
      // Who stops reading has no use for an answer; nothing is wrong here.
      if (!response.destroyed || !isPrematureClose(error)) throw error;
    } finally {
      await stats.figures.close();
    }
  }
}

function isPrematureClose(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}
